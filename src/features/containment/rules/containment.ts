/** The kinds of `containment` in coppice.yml, and the needs of a sandbox on a machine. */
import type { Network } from "./allowed-hosts.ts"
import type { EngineName } from "./engines.ts"

/**
 * `none`: with the user's rights. `sandbox`: in namespaces of Linux, by bubblewrap. `container`: in
 * containers of Podman or Docker.
 */
export const CONTAINMENTS = ["none", "sandbox", "container"] as const

export const CACHE_WRITERS = ["setup", "all"] as const

export type ContainerConfig = {
  readonly image: string
  /** Whether a person built the image from a repository's `devcontainer.json`. */
  readonly devcontainer: boolean
  /** Undefined: the first one on the PATH. */
  readonly engine: EngineName | undefined
  /** Limits of one container; undefined: the engine's own. Memory is as the engine takes it: `2g`. */
  readonly memory: string | undefined
  readonly cpus: number | undefined
  readonly pids: number | undefined
}

export type ContainmentConfig = {
  readonly by: (typeof CONTAINMENTS)[number]
  /** coppice.yml names no kind, so it is `none`. A reviewer then sees the repositories read-only. */
  readonly isDefault: boolean
  /** The hosts that its processes reach; with `true` loopback too. */
  readonly network: Network
  /** Paths that they can read, next to the system's: absolute, from `~`, or from the home. */
  readonly read: readonly string[]
  /** Folders in HOME, from `~`, that all contained agents and set-ups of the home share. */
  readonly caches: readonly string[]
  /** `setup`: an agent changes a copy alone. `all`: an agent can change what other tasks use. */
  readonly cachesWrittenBy: (typeof CACHE_WRITERS)[number]
  /** Set iff it is by `container`. */
  readonly container?: ContainerConfig | undefined
}

/** The program that makes a sandbox. */
export const BWRAP = "bwrap"

/** Every sandbox has these namespaces and no capability, which bubblewrap would leave to root. */
export const NAMESPACES = [
  ...["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"],
] as const
