#!/bin/sh
# Prints the first Python 3.11, 3.12 or 3.13 on the PATH that really runs and can make environments.
# A version manager's shim may exist and refuse, so every candidate is asked, not only looked for.
for candidate in python3.13 python3.12 python3.11 python3 python; do
    if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        2>/dev/null; then
        command -v "$candidate"
        exit 0
    fi
done
echo "No Python 3.11, 3.12 or 3.13 with its venv module on the PATH (Debian: apt-get install python3-venv)." >&2
exit 1
