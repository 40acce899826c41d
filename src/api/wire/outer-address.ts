/** An address beyond loopback at which the daemon also serves the dashboard. */
export type OuterAddress = {
  readonly host: string
  readonly port: number
  /** PEM texts; undefined: a proxy in front of it encrypts. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
}
