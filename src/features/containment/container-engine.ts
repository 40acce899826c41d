/**
 * Runs Podman or Docker by its command line: finds the one that works here, and checks its images.
 *
 * @see https://docs.podman.io/en/latest/Commands.html
 * @see https://docs.docker.com/reference/cli/docker/
 */
import { type ExecFileException, execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
import { promisify } from "node:util"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { findProgram } from "../../kernel/process/find-program.ts"
import type { ContainerConfig } from "./rules/containment.ts"
import { buildHint, DEVCONTAINER, METADATA_LABEL, readVariables } from "./rules/devcontainer.ts"
import {
  ENGINES,
  type EngineName,
  INSTALL_ENGINE,
  questionFor,
  readFacts,
} from "./rules/engines.ts"

export type Engine = {
  readonly name: EngineName
  /** Absolute path. */
  readonly program: string
  /** Root inside of a container is the user outside. */
  readonly isRootless: boolean
  /** Podman's own list of system calls, if it is a file of this machine. */
  readonly calls?: string
  /** Whether its containers run on this kernel for sure. Docker does not say so. */
  readonly isLocal?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** A busy engine takes some seconds; one that hangs must not stop us. */
const ANSWER_MS_MAX = 30_000

/** The variables by which an engine finds its storage, its settings and its service. */
const OF_ENGINE =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|XDG_.+|DBUS_SESSION_BUS_ADDRESS|DOCKER_.+|CONTAINERS?_.+|PODMAN_CONNECTIONS_CONF|STORAGE_.+|SSH_AUTH_SOCK)$/

export const engineEnvironment = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && OF_ENGINE.test(name) ? [[name, value]] : [],
    ),
  )

/** Engines that have answered, by their path. */
const known = new Map<string, Engine>()

/**
 * The first engine that works.
 *
 * @throws {UnstartableError} (world) if there is none, or it does not run, or is too old.
 */
export async function findEngine(
  wanted: EngineName | undefined,
  env: Environment,
): Promise<Engine> {
  const names = wanted ? [wanted] : ENGINES
  const faults: UnstartableError[] = []
  for (const name of names) {
    const program = findProgram(name, { path: env["PATH"], cwd: "/" })
    if (program === undefined) continue
    const found = known.get(program) ?? (await examine(name, program, env))
    if (!(found instanceof UnstartableError)) return found
    faults.push(found)
  }
  const [
    first = new UnstartableError(`there is no program ${names.join(" or ")}`, [INSTALL_ENGINE]),
  ] = faults
  throw first
}

async function examine(
  name: EngineName,
  program: string,
  env: Environment,
): Promise<Engine | UnstartableError> {
  const facts = readFacts(name, await askEngine(program, questionFor(name), env))
  if (facts.kind === "unusable") return new UnstartableError(facts.why, [facts.hint])
  const more = name === "podman" ? await examinePodman(program, env) : {}
  const engine = { name, program, isRootless: facts.isRootless, ...more }
  known.set(program, engine)
  return engine
}

async function examinePodman(
  program: string,
  env: Environment,
): Promise<Pick<Engine, "calls" | "isLocal">> {
  const format = "{{.Host.ServiceIsRemote}} {{.Host.Security.SECCOMPProfilePath}}"
  const answer = await askEngine(program, ["info", "--format", format], env)
  const [isRemote, calls = ""] = "said" in answer ? answer.said.split(" ", 2) : []
  const list = isAbsolute(calls) && existsSync(calls) ? { calls } : {}
  return { ...list, isLocal: isRemote === "false" }
}

export type Image = {
  readonly id: string
  /** The variables that its `devcontainer.json` sets; none unless the configuration asks for them. */
  readonly variables: Readonly<Record<string, string>>
}

const IMAGE_FORMAT = `{{.Id}} {{with .Config}}{{with .Labels}}{{index . "${METADATA_LABEL}"}}{{end}}{{end}}`

/** @throws {UnstartableError} (world) if the machine has no such image. */
export async function demandImage(
  { name, program }: Engine,
  { image, devcontainer }: Pick<ContainerConfig, "image" | "devcontainer">,
  env: Environment,
): Promise<Image> {
  const build = () => [buildHint(name, image, isThere(DEVCONTAINER, env))]
  const question = ["image", "inspect", "--format", IMAGE_FORMAT, image]
  const answer = await askEngine(program, question, env)
  if ("said" in answer) {
    const [id = ""] = answer.said.split(" ", 1)
    if (!devcontainer) return { id, variables: {} }
    const variables = readVariables(answer.said.slice(id.length).trim())
    if (variables) return { id, variables }
    throw new UnstartableError(
      `the image ${image} was not made by \`${DEVCONTAINER} build\``,
      build(),
    )
  }
  const asked = await examine(name, program, env)
  if (asked instanceof UnstartableError) throw asked // the engine has stopped since we found it
  const hint = `\`${name} pull ${image}\` fetches it; \`${name} build --tag ${image} .\` makes it from a Dockerfile.`
  const hints = devcontainer ? build() : [hint]
  throw new UnstartableError(`${name} has no image ${image}: ${answer.refused}`, hints)
}

const isThere = (name: string, env: Environment): boolean =>
  findProgram(name, { path: env["PATH"], cwd: "/" }) !== undefined

/** Runs a command of an engine. It may hold TERM back while it works, so only KILL is sure. */
export async function askEngine(
  program: string,
  args: readonly string[],
  env: Environment,
  answerMsMax = ANSWER_MS_MAX,
): Promise<{ readonly said: string } | { readonly refused: string }> {
  const limits = { timeout: answerMsMax, killSignal: "SIGKILL" } as const
  const options = { env: engineEnvironment(env), ...limits, cwd: "/" }
  return promisify(execFile)(program, [...args], options).then(
    ({ stdout }) => ({ said: stdout.trim() }),
    ({ stderr, killed, code }: ExecFileException) => ({
      refused: killed
        ? `it gave no answer within ${answerMsMax / 1000} s`
        : lastLine(stderr) || `it ended with ${code}`,
    }),
  )
}

const lastLine = (text = ""): string => text.trim().split("\n").at(-1) ?? ""
