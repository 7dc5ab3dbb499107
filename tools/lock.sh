#!/bin/sh
# Writes requirements.lock: the versions of all that the app needs, on every system, with the hashes of their files.

set -e
pip="$1 -m pip"
if [ ! -x .build/uv/bin/uv ]; then
    $pip install --quiet --target .build/uv 'uv>=0.5,<1'
fi
# The resolver asks whom pip would ask; the file names nobody, since a hash says what a file is.
if index=$($pip config get global.index-url 2>/dev/null); then
    export UV_DEFAULT_INDEX="$index"
fi
{
    echo "# What the app needs, with the hashes of its files; made by: make lock"
    .build/uv/bin/uv pip compile pyproject.toml --extra lab --extra app --quiet --universal --python-version 3.11 \
        --generate-hashes --no-header --no-emit-index-url --no-annotate
} > .build/requirements.lock
mv .build/requirements.lock requirements.lock
