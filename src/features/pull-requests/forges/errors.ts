/** Failures of forges. */
import { AppError, type Blame } from "../../../base/errors.ts"

const FORGE = {
  /** The forge does not answer, or allows no more requests for now. */
  "forge.unavailable": "world",
  /** The forge answers, and refuses. */
  "forge.refused": "user",
} as const satisfies Record<string, Blame>

export class ForgeError extends AppError<keyof typeof FORGE> {
  /** When it may be asked again; undefined: at any time. */
  readonly retryAtMs: number | undefined
  /** The status of its answer; undefined: it gave none. */
  readonly status: number | undefined

  constructor(
    code: keyof typeof FORGE,
    message: string,
    {
      hints = [],
      retryAtMs,
      status,
    }: {
      readonly hints?: readonly string[]
      readonly retryAtMs?: number
      readonly status?: number
    } = {},
  ) {
    super(code, FORGE[code], message, { hints })
    this.retryAtMs = retryAtMs
    this.status = status
  }

  get isUnavailable(): boolean {
    return this.code === "forge.unavailable"
  }
}

/** Something else answered, such as a proxy, or a forge of another kind. */
export const strangeAnswer = (forge: string) =>
  new ForgeError("forge.unavailable", `the answer is not one of ${forge}'s API`, {
    hints: ["If the repository is on another kind of forge, name it in `repos.<name>.forge.type`."],
  })
