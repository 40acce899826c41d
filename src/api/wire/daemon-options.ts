/** The options of a daemon. */
import type { StatusDocument } from "./home.ts"

export type DaemonOptions = {
  /** Real path. */
  readonly home: string
  /** Started by a command: it reports on descriptor 3 when it is ready, and ends when nothing is left to do. */
  readonly fromCommand: boolean
  /** Absent: only this machine reaches the daemon. */
  readonly outer?: OuterAddress | undefined
  onReady?(status: StatusDocument): void
}

/** An address beyond loopback at which the daemon also serves the dashboard. */
export type OuterAddress = {
  readonly host: string
  readonly port: number
  /** PEM texts; undefined: a proxy in front of it encrypts. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
}
