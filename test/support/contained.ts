/** The kinds of containment, for tests that run for each of them. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import type { Network } from "../../src/features/containment/rules/allowed-hosts.ts"
import type { TestImage } from "./container.ts"
import { Fleet, type FleetConfig } from "./fleet.ts"

type Contained = {
  readonly read: readonly string[]
  readonly caches?: readonly string[]
  readonly caches_written_by?: "setup" | "all"
  readonly network?: Network
}

type Kind = {
  readonly kind: string
  readonly engine: string
  /** Why it cannot be tested here. */
  readonly missing: string | undefined
  readonly env?: Readonly<Record<string, string>>
  /** The kind's settings in coppice.yml. */
  settings(contained: Contained): object
}

/** `image`: the one for containers. */
export const listKinds = async (image: TestImage): Promise<readonly Kind[]> => [
  {
    kind: "sandbox",
    engine: "bwrap",
    missing: await probeSandbox(process.env["PATH"]),
    settings: (contained) => ({ containment: "sandbox", contained }),
  },
  {
    kind: "container",
    engine: image.engineName,
    missing: image.missing,
    env: image.env,
    settings: ({ network = true, ...contained }) => {
      const limits = { memory: "1g", cpus: 1, pids: 200 }
      const { name, engineName: engine } = image
      const container = { image: name, engine, ...limits, network: network ? "host" : "none" }
      return { container, contained: { ...contained, ...(network !== false && { network }) } }
    },
  },
]
/** The agent runs its prompt, or the step of its turn, as a shell script in its fence. */
export function containedBy({ settings, env = {} }: Kind) {
  return (
    config: FleetConfig = {},
    { network = true }: { readonly network?: Network } = {},
  ): Fleet => {
    const fleet = new Fleet()
    Object.assign(fleet.extra, env)
    const fenced = settings({ read: [fleet.steps], network })
    fleet.configure({ ...config, sh: { ...config.sh, ...fenced } })
    return fleet
  }
}

/** Hides programs of the machine from the fleet. */
export function hidePrograms({ home, extra }: Fleet, hidden: readonly string[]): void {
  const bin = join(home.path, "programs")
  mkdirSync(bin)
  for (const folder of (process.env["PATH"] ?? "").split(":"))
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (!hidden.includes(name) && !existsSync(join(bin, name)))
        symlinkSync(join(folder, name), join(bin, name), "file")
  extra["PATH"] = bin
}
