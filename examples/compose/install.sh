# Installs packed nodes where their host looks for them, and lays a first flow beside them where there is none yet:
# install.sh PACKAGE FOLDER [FOLDER OF THE FLOW]
set -eu
mkdir -p "$2"
npm install --prefix "$2" --legacy-peer-deps --ignore-scripts --no-audit --no-fund "${PACKED:-/packed}/$1"-[0-9]*.tgz
[ -z "${3:-}" ] || [ -e "$2/flows.json" ] || cp "$3/flows.json" "$3/flows_cred.json" "$2"
