#!/bin/sh
# Runs one step of a make target and sums it up in one line: step.sh NAME COMMAND...

. tools/rust.sh
name=$1
shift
started=$(date +%s)
printf '%s ...\n' "-- $name"
"$@"
status=$?
seconds=$(($(date +%s) - started))
if [ "$status" -eq 0 ]; then
    printf 'ok %s (%s s)\n' "$name" "$seconds"
else
    printf 'FAILED %s (%s s, exit code %s): %s\n' "$name" "$seconds" "$status" "$*" >&2
fi
exit "$status"
