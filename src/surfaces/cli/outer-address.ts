/** Reads the options of `up` that let other devices reach the dashboard, and says what they expose. */
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { OuterAddress } from "../../api/wire/daemon-options.ts"
import type { Option, Values } from "./command.ts"
import { UsageError } from "./errors.ts"
import { countValue, textValue } from "./operands.ts"

/** TCP has no higher port. */
const PORT_MAX = 65_535

export const OUTER_OPTIONS = {
  host: {
    type: "string",
    value: "<address>",
    about: "Serve the dashboard of all your homes at this address too",
  },
  port: { type: "string", value: "<n>", about: "The port there (default: any free one)" },
  "tls-cert": { type: "string", value: "<file>", about: "The certificate for it, in PEM format" },
  "tls-key": { type: "string", value: "<file>", about: "The key of that certificate" },
  "behind-proxy": {
    type: "boolean",
    about: "A proxy at `dashboard.url` encrypts, and alone reaches that address",
  },
} as const satisfies Record<string, Option>

/** @throws UsageError */
export function outerAddress(values: Values): OuterAddress | undefined {
  const host = textValue(values, "host")
  const port = countValue(values, "port") ?? 0
  const [cert, key] = [textValue(values, "tls-cert"), textValue(values, "tls-key")]
  const isBehindProxy = values["behind-proxy"] === true
  const isAsked = port > 0 || cert !== undefined || key !== undefined || isBehindProxy
  if (host === undefined && !isAsked) return undefined
  if (host === undefined) throw new UsageError("These options need --host.")
  if (values["detach"])
    throw new UsageError("--host is for a daemon in the foreground.", [
      "Leave out -d, and let your service manager run `coppice up`.",
    ])
  if (!isIP(host) || host.includes("%"))
    throw new UsageError(`--host ${host} is not an IP address.`)
  if (port > PORT_MAX) throw new UsageError(`--port must be at most ${PORT_MAX}.`)
  if (isBehindProxy && cert === undefined && key === undefined)
    return { host, port, tls: undefined }
  if (cert === undefined || key === undefined || isBehindProxy)
    throw new UsageError(`At ${host}, others could read along.`, [
      "Give --tls-cert and --tls-key.",
      "If a proxy of yours encrypts, say --behind-proxy, and set `dashboard.url`.",
    ])
  if (/^[0:.]+$/.test(host))
    throw new UsageError(`Browsers need a name for ${host}.`, [
      "Name one address of this machine with --host.",
    ])
  return { host, port, tls: { cert: readPem(cert), key: readPem(key) } }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

export const EXPOSED =
  "Other devices reach the dashboard. A browser that opens a link of `coppice ui` can do there what you " +
  "can, in all your homes: open a shell, read your code, land work. Send others a link of " +
  "`coppice ui --read-only`, which shows this home alone."
