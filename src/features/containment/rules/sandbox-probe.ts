/** How a machine is asked whether it can make a sandbox, and the words of the answer. */
import { BWRAP, NAMESPACES } from "./containment.ts"

/** Succeeds where a sandbox can be made. */
export const SANDBOX_PROBE: readonly [string, ...string[]] = [
  BWRAP,
  ...NAMESPACES,
  ...["--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
  ...["/bin/sh", "-c", ":"],
]

/** Hints for a machine on which the probe fails. */
export const INSTALL_SANDBOX = [
  "Install bubblewrap (on Linux; elsewhere use `container`): `apt-get install bubblewrap`, `dnf install bubblewrap` or `apk add bubblewrap`.",
  "If it is installed, the system must allow user namespaces: see `sysctl kernel.unprivileged_userns_clone user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`.",
] as const
