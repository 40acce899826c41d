/**
 * The programs of a torture: one plays the agents, one plays the gate.
 *
 * Both write notes outside of the repository. The checks rely on these notes, and on nothing that
 * Coppice itself records.
 */

/** Folder of the notes, as agents and gate see it. */
export const NOTES = "TORTURE_NOTES"

/**
 * The first turn that begins runs its prompt as a script, up to the text that a restart adds. A later
 * turn merges the target. In a task of two repositories, `second` does something in the other one too, and writes notes of its own.
 *
 * - `found <path>`: a file that was in the worktree before the task's first turn began
 * - `begin <turn>`: from here on the worktree changes; a turn that begins again resets a killed merge
 * - `commit <oid> <patch-id>`: a commit that was made, and is never taken back
 * - `again <path>`: a file of another task's that this one may bring a second time
 * - `hostile <name>`: an entry of hostile.ts that was tried
 * - `tree <oid> <patch-id>`: the files as the turn left them, except ignored ones, and how they differ
 *   from HEAD; no patch-id without a difference
 */
export const AGENT = `
notes="$${NOTES}/task-$COPPICE_TASK"
note() { echo "$*" >> "$notes"; }
patch() { git diff-tree -p --full-index "$@" | git patch-id --stable | cut -d' ' -f1; }
made() { oid=$(git rev-parse --verify --quiet HEAD) && note commit "$oid $(patch HEAD)"; }
commit() { git add -A && git commit --quiet --message "$1" && made; }
second() {
  [ -z "$COPPICE_WORKTREE_PATH_LIB" ] && return
  (cd "$COPPICE_WORKTREE_PATH_LIB" && notes="$${NOTES}/lib/task-$COPPICE_TASK" && mkdir -p torture && "$@")
}
state() {
  own=$(git rev-parse --git-path index) && copy="$notes.index"
  cp -p "$own" "$copy" && export GIT_INDEX_FILE="$copy" && git add -A && tree=$(git write-tree)
  unset GIT_INDEX_FILE
  [ -n "$tree" ] && note tree "$tree $(patch HEAD "$tree")"
}
resolve() {
  rm -f torture/red-*
  commit "task $COPPICE_TASK: no longer red"
  git merge --quiet --no-edit -X ours "$COPPICE_WORKTREE_BASE_BRANCH" || {
    git diff -z --name-only --diff-filter=U | while IFS= read -r -d '' path; do
      [ -e "$path" ] && git add -- "$path" || git rm --quiet --force -- "$path"
    done
    git commit --quiet --no-edit || git merge --abort
  }
  made
}
begin() {
  [ -e "$notes" ] || {
    git status --porcelain --untracked-files=all
    find . -type p -o -type s
  } | while IFS= read -r path; do note found "$path"; done
  if [ "$COPPICE_TURN" != 1 ] && grep -qsx "begin $COPPICE_TURN" "$notes"; then
    rm -f "$(git rev-parse --git-path index.lock)"
    git reset --quiet --hard && git clean --quiet -fd || exit
  fi
  note begin "$COPPICE_TURN"
}
mkdir -p torture
isFirst=no
{ [ "$COPPICE_TURN" = 1 ] || ! grep -qs '^begin [0-9]' "$notes"; } && isFirst=yes
begin
second begin
mkdir -p torture
if [ $isFirst = yes ]; then eval "$(sed '/^---$/,$d')"; else resolve; second resolve; fi
state
second state
exit "\${ends:-0}"
`

/**
 * Passes unless a file says that it is red, or its own git was killed. Notes the actual tree of the
 * worktree, and leaves something behind every now and then.
 */
export const GATE = `
copy="$${NOTES}/gate-$$.index"
cp -p "$(git rev-parse --git-path index)" "$copy"
tree=$(GIT_INDEX_FILE="$copy" git add -A && GIT_INDEX_FILE="$copy" git write-tree)
rm -f "$copy"
[ -n "$tree" ] || exit 1
ls torture/red-* 2>/dev/null && exit 1
case $(($$ % 5)) in
  0) sleep 0.3 ;;
  1) echo residue >> torture/residue.txt ;;
  2) git ls-files -z torture | { IFS= read -r -d '' path && echo residue >> "$path"; } ;;
  3) sleep 60 & ;;
esac
echo "$tree" >> "$${NOTES}/passed"
`
