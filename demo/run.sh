#!/bin/sh
# Shows the whole way of a plugin, from the author's directory to a user's
# machine and back, with the sample marketplace beside this file.
#
#   run.sh PINION
#
# Everything happens in a temporary directory that is removed at the end: the
# user's own Pinion home and git configuration are neither read nor changed, and
# nothing is fetched over a network.
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
	echo "usage: run.sh PINION (the path of the binary; make build makes it)" >&2
	exit 2
fi
bin=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

tmp=$(mktemp -d "${TMPDIR:-/tmp}/pinion-demo.XXXXXX")
finish() {
	status=$?
	trap - EXIT
	chmod -R u+w "$tmp" # installed versions are read-only
	rm -rf "$tmp"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

repo=$tmp/sample
export HOME="$tmp/user" PINION_HOME="$tmp/home" XDG_CONFIG_HOME="$tmp/user/.config"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME='Ada Author' GIT_AUTHOR_EMAIL=ada@example.com
export GIT_COMMITTER_NAME='Ada Author' GIT_COMMITTER_EMAIL=ada@example.com
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir "$HOME"

say() { printf '\n== %s\n' "$*"; }
show() {
	printf '\n$'
	for word; do
		case $word in
		*' '*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$@"
}
pinion() { "$bin" "$@"; }

cp -R "$here/marketplace" "$repo"
cd "$repo"
git init -q
git symbolic-ref HEAD refs/heads/main

say 'An author checks three plugins, writes the catalog and publishes both.'
show pinion validate
show pinion build-catalog --owner 'Ada Author'
show git add -A
show git commit -q -m 'Publish three plugins'

say 'A user adds the repository as a marketplace and installs from it.'
cd "$tmp/user"
show pinion marketplace add "file://$repo" --name sample
show pinion install release-notes text-stats branch-guard
show pinion activate release-notes
say 'Plugins that run code are activated with consent only.'
show pinion activate text-stats --allow extension --allow computer
show pinion activate branch-guard --allow extension --allow computer
show pinion list

say 'The author improves a skill. The bytes of a version never change, so it gets a new one.'
cd "$repo"
printf '%s\n' '- The notes fit on one screen, or the most important change comes first.' >>plugins/release-notes/SKILL.md
show pinion bump plugins/release-notes minor
show pinion build-catalog
show git commit -q -a -m 'release-notes: keep the notes short'

say 'The user takes the new version, goes back, and checks what is on disk.'
cd "$tmp/user"
show pinion marketplace refresh
show pinion upgrade release-notes
show pinion rollback release-notes
show pinion verify
show pinion list

printf '\nShown: validate, build-catalog, marketplace add, install, activate, list, bump, refresh, upgrade, rollback, verify; %s is removed again.\n' "$tmp"
