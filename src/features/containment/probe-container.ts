/** Starts a container of an image once, to see whether it starts and has the needed programs. */
import { randomBytes } from "node:crypto"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { askEngine, demandImage, findEngine } from "./container-engine.ts"
import { removeContainers } from "./left-containers.ts"
import type { ContainerConfig } from "./rules/containment.ts"

/** Engines with image and programs that have worked. A rebuilt image has another id. */
const usable = new Set<string>()

const LIST_MISSING = `for name in git "$@"; do command -v "$name" >/dev/null || echo "$name"; done`

/**
 * @param programs names of programs that the image must have on its PATH, besides git.
 * @throws {UnstartableError} (world) if there is no engine, no image, or no program.
 */
export async function probeContainer(
  config: ContainerConfig,
  programs: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const engine = await findEngine(config.engine, env)
  const { id } = await demandImage(engine, config, env)
  const tried = [engine.program, id, ...programs].join("\0")
  if (usable.has(tried)) return
  const name = `coppice-probe-${randomBytes(8).toString("hex")}`
  const args = [
    ...["run", "--rm", "--pull=never", "--name", name, "--read-only", "--network=none"],
    ...["--entrypoint", "/bin/sh", config.image, "-c", LIST_MISSING, "sh", ...programs],
  ]
  const answer = await askEngine(engine.program, args, env)
  if ("refused" in answer) {
    await removeContainers(engine, [name]) // the container may still run
    throw new UnstartableError(
      `${engine.name} starts no container of ${config.image}: ${answer.refused}`,
      [
        `\`${engine.name} run --rm ${config.image} /bin/sh -c :\` must work; it shows the whole error.`,
      ],
    )
  }
  if (answer.said !== "") {
    const missing = answer.said.split("\n").join(", ")
    const hints = ["Use an image that has it on its PATH, or add it in a Dockerfile of yours."]
    throw new UnstartableError(`the image ${config.image} has no program ${missing}`, hints)
  }
  usable.add(tried)
}
