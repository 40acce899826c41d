/**
 * The parts of a repository's `devcontainer.json` that count: the image that a person built from it,
 * and the variables in the label of that image. Pure.
 *
 * Nothing else counts: no mounts, privileges, arguments, users or commands. Agents write that file.
 *
 * @see https://containers.dev/implementors/reference/#labels
 */
import type { EngineName } from "./engines.ts"

/** The program of the devcontainer CLI. */
export const DEVCONTAINER = "devcontainer"
export const METADATA_LABEL = "devcontainer.metadata"

/** Variables that Coppice sets itself; the devcontainer CLI does not set HOME. */
const OURS = /^(HOME|COPPICE_.*)$/
const NAME = /^[A-Za-z_]\w*$/

/**
 * The variables of `containerEnv` and `remoteEnv`; later ones win.
 *
 * @param label the value of {@link METADATA_LABEL}: a list, with the features first.
 * @returns undefined if the label is not one of the devcontainer CLI. A variable whose value refers to
 *   the machine or to another variable (`${…}`) is left out.
 */
export function readVariables(label: string): Readonly<Record<string, string>> | undefined {
  const parts = parse(label)
  if (parts === undefined) return undefined
  const listed = ["containerEnv", "remoteEnv"].flatMap((key) =>
    parts.flatMap((part) => Object.entries(asObject(asObject(part)[key]))),
  )
  const isTaken = ([name, value]: readonly [string, unknown]) =>
    NAME.test(name) && !OURS.test(name) && typeof value === "string" && !value.includes("${")
  return Object.fromEntries(listed.filter(isTaken)) as Record<string, string>
}

function parse(label: string): readonly unknown[] | undefined {
  try {
    const found: unknown = JSON.parse(label)
    return Array.isArray(found) ? found : undefined
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

/** How a person makes such an image. */
export function buildHint(engine: EngineName, image: string, isInstalled: boolean): string {
  const command = `${DEVCONTAINER} build --workspace-folder . --docker-path ${engine} --image-name ${image}`
  const install = isInstalled
    ? ""
    : " Install that program first: `npm install --global @devcontainers/cli`."
  return `Read devcontainer.json, then run \`${command}\` in the repository.${install}`
}
