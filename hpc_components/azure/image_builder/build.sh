# Makes a version of an image, unless it exists: runs the template TEMPLATE and waits until VERSION (an id) is there.
set -euo pipefail

state() {
    az resource show --ids "$1" --query "$2" --output tsv 2>/dev/null || true
}

is_made() {
    [ "$(state "$VERSION" properties.provisioningState)" = Succeeded ]
}

if is_made; then
    echo "the version exists already"
    exit 0
fi
az resource invoke-action --ids "$TEMPLATE" --action Run
while :; do
    run=$(state "$TEMPLATE" properties.lastRunStatus.runState)
    case "$run" in
    Succeeded) break ;;
    Failed | Canceled | PartiallySucceeded)
        echo "the build has failed ($run): $(state "$TEMPLATE" properties.lastRunStatus.message)" >&2
        exit 1
        ;;
    esac
    sleep "${SECONDS_BETWEEN:-30}"
done
is_made || {
    echo "the build has ended, but $VERSION does not exist" >&2
    exit 1
}
