/** Failures of forges. */
import { AppError, type Blame } from "../core/errors.ts"

const FORGE = {
  /** It does not answer, or allows no more requests for now. */
  "forge.unavailable": "world",
  /** It answers, and refuses. */
  "forge.refused": "user",
} as const satisfies Record<string, Blame>

export class ForgeError extends AppError {
  readonly code: keyof typeof FORGE
  readonly blame: Blame
  override readonly hints: readonly string[]
  /** When it may be asked again; undefined: at any time. */
  readonly retryAtMs: number | undefined

  constructor(
    code: keyof typeof FORGE,
    message: string,
    {
      hints = [],
      retryAtMs,
    }: { readonly hints?: readonly string[]; readonly retryAtMs?: number } = {},
  ) {
    super(message)
    this.code = code
    this.blame = FORGE[code]
    this.hints = hints
    this.retryAtMs = retryAtMs
  }

  get isUnavailable(): boolean {
    return this.code === "forge.unavailable"
  }
}

/** Something else answered, such as a proxy. */
export const strangeAnswer = () =>
  new ForgeError("forge.unavailable", "the answer is not one of GitHub's API")
