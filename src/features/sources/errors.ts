/** A source that cannot be used, and the time of the next try. */
import { AppError, type Blame } from "../../base/errors.ts"

type SourceErrorKind = {
  readonly blame: Blame
  readonly transient: boolean
  readonly hints: readonly string[]
}

/** Every code that a {@link SourceError} can have. */
export const SOURCE_ERRORS = {
  "source.unreachable": { blame: "world", transient: true, hints: [] },
  "source.limited": { blame: "world", transient: true, hints: [] },
  "source.refused": {
    blame: "world",
    transient: false,
    hints: ["Check the token and its rights, and the source in coppice.yml."],
  },
  "source.unreadable": { blame: "world", transient: false, hints: [] },
} as const satisfies Readonly<Record<string, SourceErrorKind>>

export type SourceErrorCode = keyof typeof SOURCE_ERRORS

export class SourceError extends AppError<SourceErrorCode> {
  /** The earliest time of the next try, if the source names one; ms since the epoch. */
  readonly retryAtMs: number | undefined

  /** @param message never holds a token: an error from a network library may, so it is no cause here. */
  constructor(code: SourceErrorCode, message: string, retryAtMs?: number) {
    const { blame, transient, hints } = SOURCE_ERRORS[code]
    super(code, blame, message, { transient, hints })
    this.retryAtMs = retryAtMs
  }
}
