#!/bin/sh
# The example of the README, with the example documentation: in sync, an outdated sitemap, the repair.
# Exits with 0 when every step had the expected exit code.
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

heading() {
    printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

# note SENTENCE: what the exit code above means.
note() {
    printf '\n%s\n' "$*"
}

# A fixed date: the same sources give the same build.
build() {
    SOURCE_DATE_EPOCH=1767225600 "$bin/python" -m mkdocs build --quiet --config-file "$1/mkdocs.yml"
}

# expect CODE COMMAND: run sitemap-action in the current directory, as if outside CI, and compare its exit code.
expect() {
    wanted=$1
    shift
    heading "\$ sitemap-action $*"
    code=0
    env -i PATH="$PATH" HOME="${HOME:-$copy}" TERM="${TERM:-dumb}" ${NO_COLOR:+NO_COLOR=1} "$bin/sitemap-action" "$@" || code=$?
    if [ "$code" -ne "$wanted" ]; then
        echo "The demo went wrong: exit code $code where $wanted was expected." >&2
        exit 1
    fi
}

heading "1. The example documentation, built with MkDocs, and the sitemap committed beside it"
build examples/docs
cd examples/docs
expect 0 check
note "Exit code 0: every page that belongs in the sitemap is in it, and nothing else."

heading "2. A change adds a page and deletes another, but does not update the sitemap (in a copy)"
cp -R . "$copy/docs"
cd "$copy/docs"
rm -r site docs/guides/upgrade-from-1.md
printf '# Verify\n\nRead every file of the store once and compare:\n\n    lantern verify /mnt/disk/lantern\n' >docs/guides/verify.md
build .
expect 1 check
note "Exit code 1: the check of the pull request fails until the sitemap matches the site again."

heading "3. The repair"
cp sitemap.xml ../before.xml
expect 0 write
note "Exit code 0: the drift was repaired. What changed in the file:"
git --no-pager diff --no-index --no-color --unified=1 ../before.xml sitemap.xml | sed '1,/^+++/d' || true

heading "4. Once more"
expect 0 check
note "Exit code 0: in sync. Every step had the expected exit code."
