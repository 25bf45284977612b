#!/bin/sh
# The story of the README, told with the example documentation: in sync, a forgotten sitemap, the repair.
# Ends with 0 when every step answered as it should.
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
else
    bold='' plain=''
fi

say() {
    printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

# tell SENTENCE: what the exit code above means.
tell() {
    printf '\n%s\n' "$*"
}

# A day that is always the same: the same sources give the same build.
build() {
    SOURCE_DATE_EPOCH=1767225600 "$bin/python" -m mkdocs build --quiet --config-file "$1/mkdocs.yml"
}

# expect CODE COMMAND: run sitemap-action in the current directory, as if outside CI, and tell its exit code.
expect() {
    wanted=$1
    shift
    say "\$ sitemap-action $*"
    code=0
    env -i PATH="$PATH" HOME="${HOME:-$copy}" TERM="${TERM:-dumb}" ${NO_COLOR:+NO_COLOR=1} "$bin/sitemap-action" "$@" || code=$?
    if [ "$code" -ne "$wanted" ]; then
        echo "The demo went wrong: exit code $code where $wanted was expected." >&2
        exit 1
    fi
}

say "1. The example documentation, built with MkDocs, and the sitemap committed beside it"
build examples/docs
cd examples/docs
expect 0 check
tell "Exit code 0: every page that belongs in the sitemap is in it, and nothing else."

say "2. Somebody adds a page, deletes another, and forgets the sitemap (in a copy)"
cp -R . "$copy/docs"
cd "$copy/docs"
rm -r site docs/guides/upgrade-from-1.md
printf '# Verify\n\nRead every file of the store once and compare:\n\n    lantern verify /mnt/disk/lantern\n' >docs/guides/verify.md
build .
expect 1 check
tell "Exit code 1: the pull request would be red until the sitemap is true again."

say "3. The repair"
cp sitemap.xml ../before.xml
expect 0 write
tell "Exit code 0: the drift was repaired. What changed in the file:"
git --no-pager diff --no-index --no-color --unified=1 ../before.xml sitemap.xml | sed '1,/^+++/d' || true

say "4. Once more"
expect 0 check
tell "Exit code 0: in sync. The demo behaved as it should."
