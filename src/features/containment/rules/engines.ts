/** The engines of containers: what they are asked about themselves, and how the answers are read. */
import { findVersion, isAtLeast, type Version } from "../../../base/requirements.ts"

/** In the order in which we look for them. */
export const ENGINES = ["podman", "docker"] as const
export type EngineName = (typeof ENGINES)[number]

type Known = {
  /** The oldest version that knows every option that we use. */
  readonly oldest: Version
  /** Arguments: its answer is its version, and something about its users. */
  readonly question: readonly [string, ...string[]]
  /** A way out if it does not answer. */
  readonly start: string
}

const KNOWN: Readonly<Record<EngineName, Known>> = {
  podman: {
    oldest: { major: 4, minor: 0 },
    question: ["info", "--format", "{{.Version.Version}} {{.Host.Security.Rootless}}"],
    start: "`podman info` shows the whole error; on macOS and Windows: `podman machine start`.",
  },
  docker: {
    oldest: { major: 20, minor: 10 },
    question: ["info", "--format", "{{.ServerVersion}} {{json .SecurityOptions}}"],
    start: "Start it: `systemctl start docker`, or Docker Desktop.",
  },
}

/** Docker's own errors, one of which is of its template, in plain words. */
const DOCKER_FAULTS = [
  {
    said: /permission denied/i,
    why: "you may not use its daemon",
    hint: "`sudo usermod -aG docker $USER`, then log in again.",
  },
  {
    said: /docker daemon|nil pointer|error during connect|connection refused/i,
    why: "no Docker daemon answers",
    hint: KNOWN.docker.start,
  },
] as const

export const INSTALL_ENGINE =
  "Install Podman (`apt-get install podman`, `dnf install podman`, `brew install podman`) or Docker, and put it on the PATH of Coppice."

/** The arguments of a question about the engine itself. */
export const questionFor = (name: EngineName): readonly [string, ...string[]] =>
  KNOWN[name].question

export type EngineFacts =
  /** `isRootless`: root inside of a container is the user outside, and no other user. */
  | { readonly kind: "usable"; readonly version: string; readonly isRootless: boolean }
  | { readonly kind: "unusable"; readonly why: string; readonly hint: string }

/** @param refused why there was no answer. */
export function readFacts(
  name: EngineName,
  answer: { readonly said: string } | { readonly refused: string },
): EngineFacts {
  const { oldest, start } = KNOWN[name]
  if ("refused" in answer) {
    const { refused } = answer
    const known = name === "docker" && DOCKER_FAULTS.find(({ said }) => said.test(refused))
    const { why, hint } = known || { why: refused, hint: start }
    return { kind: "unusable", why: `${name} does not work: ${why}`, hint }
  }
  const [version = "", ...users] = answer.said.split(" ")
  if (version === "")
    return { kind: "unusable", why: `${name} does not work: it has no server`, hint: start }
  if (isAtLeast(findVersion(version) ?? { major: 0, minor: 0 }, oldest))
    return { kind: "usable", version, isRootless: /true|rootless/.test(users.join(" ")) }
  const hint = `Install ${name} ${oldest.major}.${oldest.minor} or newer.`
  return { kind: "unusable", why: `${name} ${version} is too old`, hint }
}
