# Installs packed nodes where their host looks for them: install.sh PACKAGE FOLDER
set -eu
mkdir -p "$2"
npm install --prefix "$2" --legacy-peer-deps --ignore-scripts --no-audit --no-fund "${PACKED:-/packed}/$1"-[0-9]*.tgz
