/** How a machine is asked whether it can make a sandbox, and the words of the answer. */
import { BWRAP, NAMESPACES } from "./containment.ts"

/** The program that makes a sandbox on macOS. */
export const SEATBELT = "/usr/bin/sandbox-exec"

/** Succeeds where a sandbox can be made. */
export const SANDBOX_PROBE: readonly [string, ...string[]] = [
  BWRAP,
  ...NAMESPACES,
  ...["--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
  ...["/bin/sh", "-c", ":"],
]

/** The same on this platform. */
export const sandboxProbe = (platform: string): readonly [string, ...string[]] =>
  platform === "darwin"
    ? [SEATBELT, "-p", "(version 1)(allow default)", "/usr/bin/true"]
    : SANDBOX_PROBE

/** The text that every answer about a sandbox of macOS carries. */
export const UNTRIED_SANDBOX = "by sandbox-exec, which our tests have run on no Mac"

/** Hints for a machine on which the probe fails. */
export const INSTALL_SANDBOX = [
  "Install bubblewrap (on Linux; macOS has sandbox-exec; elsewhere use `container`): `apt-get install bubblewrap`, `dnf install bubblewrap` or `apk add bubblewrap`.",
  "If it is installed, the system must allow user namespaces: see `sysctl kernel.unprivileged_userns_clone user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`.",
] as const
