/** A push service with one browser behind it, which decrypts what it gets (RFC 8291) and checks who sent it. */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { PostPush } from "../../src/features/hooks/push/endpoint.ts"
import { waitFor } from "./wait-for.ts"

export class PushService implements AsyncDisposable {
  readonly endpoint = "https://push.example.net/browser-1"
  readonly #pair = createECDH("prime256v1")
  readonly p256dh = this.#pair.generateKeys("base64url")
  readonly auth = randomBytes(16).toString("base64url")
  readonly got: { readonly text: string; readonly claims: object; readonly key: string }[] = []
  /** The next answers; then 201. */
  readonly answers: { status: number; headers?: Record<string, string> }[] = []
  readonly #server = createServer(async (request, response) => {
    const parts = await request.toArray()
    const text = this.#decrypt(Buffer.concat(parts))
    this.got.push({ text, ...readSender(request.headers.authorization ?? "") })
    const { status, headers } = this.answers.shift() ?? { status: 201 }
    response.writeHead(status, headers).end()
  })

  static async start(): Promise<PushService> {
    const service = new PushService()
    service.#server.listen(0, "127.0.0.1")
    await once(service.#server, "listening")
    return service
  }

  /** In place of the requests of the daemon, which go to no address of this machine. */
  readonly post: PostPush = async (_endpoint, { headers, body, signal }) => {
    const { port } = this.#server.address() as AddressInfo
    const sent = Object.entries(headers).filter(([name]) => name !== "Content-Length")
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: sent.map(([name, value]) => [name, String(value)] as [string, string]),
      body: new Uint8Array(body),
      signal,
    })
    return { status: answer.status, retryAfter: answer.headers.get("retry-after") }
  }

  async until(count: number) {
    return await waitFor(`${count} pushes`, () => this.got.length >= count && this.got)
  }

  #decrypt(body: Buffer): string {
    const [salt, sender, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
    const auth = Buffer.from(this.auth, "base64url")
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#pair.getPublicKey(), sender])
    const shared = hkdfSync("sha256", this.#pair.computeSecret(sender), auth, info, 32)
    const derive = (name: string, bytes: number) =>
      Buffer.from(
        hkdfSync("sha256", Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, bytes),
      )
    const cipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12))
    cipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Checks the signature of the sender (RFC 8292). */
function readSender(authorization: string): { claims: object; key: string } {
  const [, head = "", claims = "", mac = "", key = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  const point = Buffer.from(key, "base64url")
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString("base64url"),
  )
  const jwk = { kty: "EC", crv: "P-256", x: x!, y: y! }
  const publicKey = {
    key: createPublicKey({ key: jwk, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  } as const
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    publicKey,
    Buffer.from(mac, "base64url"),
  )
  if (!isSigned) throw new Error("the sender's signature is wrong")
  return { claims: JSON.parse(Buffer.from(claims, "base64url").toString()), key }
}
