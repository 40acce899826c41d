/** The two small `sh` programs of guard.ts. They run in dash, busybox and bash alike. */
import { MARK_VARIABLE } from "./process-table.ts"

/**
 * Enters the control group in its first argument ("" for none), registers itself with the guard on
 * descriptor 3, then becomes the program in the remaining arguments.
 */
export const SHIM = `[ -z "$1" ] || echo "$$" >"$1/cgroup.procs"
shift; echo "+ $$" >&3 || exit 125; exec 3>&-; exec "$@"`

/**
 * Reads `+ group` and `- group` until the end of input, then ends the registered groups. Arguments:
 * the owner's mark; the tenths of a second between TERM and KILL; the owner's control group ("" for
 * none); the process groups registered so far.
 */
export const GUARD = `
trap '' TERM INT HUP
mark=$1 tenths=$2 cgroup=$3
shift 3
groups=" $* "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done

marked() {
  if [ -r /proc/self/environ ]; then
    for file in $(grep -lsF "${MARK_VARIABLE}=$mark:" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      echo "\${pid%/environ}"
    done
  else
    ps -A -E -ww -o pid= -o command= | while read -r pid rest; do
      case $rest in *" ${MARK_VARIABLE}=$mark:"*) echo "$pid" ;; esac
    done
  fi
}
inside() {
  [ -z "$cgroup" ] || find "$cgroup" -name cgroup.procs -exec cat {} + 2>/dev/null
}
signal() {
  for group in $groups; do kill -s "$1" -- "-$group"; done 2>/dev/null
  for pid in $(marked) $(inside); do kill -s "$1" "$pid"; done 2>/dev/null
}
alive() {
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
  [ -n "$(marked)$(inside)" ]
}

signal TERM
while alive && [ "$tenths" -gt 0 ]; do
  sleep 0.1
  tenths=$((tenths - 1))
done
tenths=10
while alive && [ "$tenths" -gt 0 ]; do
  [ -z "$cgroup" ] || echo 1 >"$cgroup/cgroup.kill"
  signal KILL
  sleep 0.1
  tenths=$((tenths - 1))
done 2>/dev/null
[ -z "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
`
