/**
 * Podman's own list of system calls, without the few that lead out of its containers. Pure.
 *
 * It gives each container a session keyring of its own, and leaves the one of the user in reach. Docker
 * forbids these calls by default.
 */

const KEYRINGS = ["add_key", "keyctl", "request_key"]
const AF_VSOCK = 40
const NO_VSOCK = {
  names: ["socket"],
  action: "SCMP_ACT_ALLOW",
  args: [{ index: 0, value: AF_VSOCK, op: "SCMP_CMP_NE" }],
}

type Rule = { readonly names: readonly string[]; readonly action: string }

/** @returns undefined if it is no list of allowed calls. */
export function narrowed(profile: string): string | undefined {
  try {
    const { syscalls, ...rest } = JSON.parse(profile)
    if (rest.defaultAction === "SCMP_ACT_ALLOW" || !Array.isArray(syscalls)) return undefined
    const kept = syscalls.flatMap((rule: Rule) => {
      const isAllowed = rule.action === "SCMP_ACT_ALLOW"
      const dropped = isAllowed ? [...KEYRINGS, "socket"] : []
      const names = rule.names.filter((name) => !dropped.includes(name))
      return names.length > 0 ? [{ ...rule, names }] : []
    })
    return JSON.stringify({ ...rest, syscalls: [...kept, NO_VSOCK] })
  } catch {
    return undefined // the engine reports a file that it cannot use
  }
}
