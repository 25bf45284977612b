#!/usr/bin/env bash
# Starts the action: in two containers where there is an engine, else in an environment of Python (start.py).
# The reader gets neither the token nor a file of the runner, and a workspace that it cannot write where no state is
# named; the publisher does what the reader requests (sitemap_action/cli/isolate.py). Neither gets Docker's socket,
# a capability, or a root that can be written. Inputs come as variables, and none of them is a part of a command.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    [[ -z ${stopped:-} ]] || exit 143 # by a signal, which is why
    echo "::error title=sitemap-action::$1"
    exit 2
}

# Whether an input is true; it has to be one or the other.
is_true() {
    case $2 in
        true | True | TRUE) ;;
        false | False | FALSE | "") return 1 ;;
        *) fail "input $1 has to be true or false" ;;
    esac
}

# Sets `engine` to the first that answers, and `user` to the options that make the workspace's owner the user.
find_engine() {
    local found owner
    why="there is no container engine for Linux here"
    [[ $(uname -s) == Linux ]] || return 1
    why="this job is in a container, whose files an engine does not see"
    [[ $GITHUB_WORKSPACE != /__w/* ]] || return 1
    why="neither docker nor podman answers on this runner"
    owner=$(stat -c %u:%g "$GITHUB_WORKSPACE")
    for engine in docker podman; do
        user=(--user "$owner") # where the engine has no root, its user is this one
        case $("$engine" --version 2>/dev/null) in
            podman*) # also by the name of docker; its `info` takes a second
                "$engine" ps --quiet >/dev/null 2>&1 || continue
                [[ $(id -u) == 0 ]] || user+=(--userns keep-id)
                ;;
            *)
                found=$("$engine" info --format '{{.SecurityOptions}}' 2>/dev/null) || continue
                [[ $found != *name=rootless* ]] || user=(--user 0:0)
                ;;
        esac
        return 0
    done
    return 1
}

# A release has named the image by digest; elsewhere it is built from this folder.
find_image() {
    local kind=plain
    image=$IMAGE
    if is_true browser "$INPUT_BROWSER"; then kind=browser image=$IMAGE_BROWSER; fi
    if [[ -z $image ]]; then
        "$engine" build --quiet --target "$kind" "$source" >"$work/image" &
        ended $! || fail "the image cannot be built: see above"
        image=$(<"$work/image")
    elif ! "$engine" image inspect "$image" >/dev/null 2>&1; then
        "$engine" pull --quiet "$image" >/dev/null &
        ended $! || fail "the image cannot be pulled: see above"
    fi
}

# start reader|publisher, in the place of this shell
start() {
    local name file options=(--rm --interactive --read-only --cap-drop=ALL --security-opt=no-new-privileges)
    options+=(--name "${work##*/}-$1" "${user[@]}" --network "$INPUT_NETWORK" --log-driver none --pull never --volume /tmp --env HOME=/tmp)
    local workspace="type=bind,source=$GITHUB_WORKSPACE,target=$GITHUB_WORKSPACE" readable=("${GITHUB_EVENT_PATH:-}")
    for name in "${!INPUT_@}" "${!GITHUB_@}" "${!RUNNER_@}" CI SOURCE_DATE_EPOCH SSL_CERT_FILE GIT_SSL_CAINFO \
        HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy; do
        case $1:$name in
            *:GITHUB_TOKEN | *:GITHUB_ENV | *:GITHUB_PATH | *:GITHUB_STATE) continue ;;
            reader:INPUT_TOKEN | reader:INPUT_BRANCH_TOKEN | reader:GITHUB_OUTPUT | reader:GITHUB_STEP_SUMMARY) continue ;;
            *:SSL_CERT_FILE | *:GIT_SSL_CAINFO) readable+=("${!name:-}") ;;
        esac
        if [[ -n ${!name+set} ]]; then options+=(--env "$name"); fi
    done
    for file in "${readable[@]}"; do # in the workspace, or mounted
        [[ ! -f $file || $file == "$GITHUB_WORKSPACE"/* || " ${options[*]} " == *"source=$file,"* ]] ||
            options+=(--mount "type=bind,source=$file,target=$file,readonly")
    done
    if [[ $1 == publisher ]]; then
        for file in "${GITHUB_OUTPUT:-}" "${GITHUB_STEP_SUMMARY:-}"; do
            [[ ! -f $file ]] || options+=(--mount "type=bind,source=$file,target=$file")
        done
    elif [[ -z ${INPUT_STATE:-} ]]; then # which the reader writes
        workspace+=,readonly
    fi
    exec "$engine" run "${options[@]}" --mount "$workspace" --workdir "$GITHUB_WORKSPACE" "$image" run --as "$1"
}

# The exit code of a child. A signal ends a wait, and not what is waited for.
ended() {
    local code=0
    end_again "$1"
    while wait "$1" && code=0 || code=$?; kill -0 "$1" 2>/dev/null; do end_again "$1"; done
    return "$code"
}

# A child that has just been forked misses a signal that comes before it has traps of its own.
end_again() {
    [[ -z $stopped ]] || { sleep 0.2; kill -TERM "$1" 2>/dev/null || true; }
}

# On a signal, which may come at any moment: all children end.
stop() {
    stopped=1
    kill -TERM $(jobs -p) 2>/dev/null || true
}

# No container is left, also of an engine that was told to start one and not to end it; and no folder.
finish() {
    local part # podman stops at the first name that it does not know
    for part in ${stopped:+reader publisher}; do
        for _ in 1 2 3 4 5; do # an engine that is still at work may refuse it
            "$engine" rm --force --volumes "${work##*/}-$part" || true
            "$engine" container inspect "${work##*/}-$part" || break
        done
    done >/dev/null 2>&1
    rm -rf "$work"
}

in_containers() {
    local reader publisher code=0 published=0
    stopped="" work=""
    trap finish EXIT
    trap stop INT TERM
    work=$(mktemp -d "${RUNNER_TEMP:-/tmp}/sitemap-action-XXXXXX")
    find_image
    [[ -z $stopped ]] || exit 143
    mkfifo "$work/up" "$work/down"
    start publisher <"$work/up" >"$work/down" &
    publisher=$!
    start reader >"$work/up" <"$work/down" &
    reader=$!
    [[ -z $stopped ]] || stop # before both were there
    ended "$reader" || code=$?
    ended "$publisher" || published=$?
    [[ -z $stopped ]] || exit "$((code || published ? 143 : 0))"
    if ((code == 0 && published == 70)); then echo "::error title=sitemap-action::the run ended without a result"; fi
    exit "$((code ? code : published))"
}

in_python() {
    echo "runtime python ($1): no container keeps the process that reads the site from the token and the rights of this job"
    is_true browser "$INPUT_BROWSER" || export SITEMAP_ACTION_BROWSER=none
    for name in python3 python py; do
        if "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            exec "$name" -I "$source/action/start.py"
        fi
    done
    fail "No Python 3.11 or newer is on PATH: run actions/setup-python in a step before"
}

case $INPUT_NETWORK in bridge | host) ;; *) fail "input network has to be bridge or host" ;; esac
case $INPUT_RUNTIME in
    python) in_python "as the input says" ;;
    auto) if find_engine; then in_containers; else in_python "$why"; fi ;;
    container) if find_engine; then in_containers; else fail "input runtime is container, and $why"; fi ;;
    *) fail "input runtime has to be auto, container or python" ;;
esac
