/** Push services lie outside of this machine and of private networks. */
import { expect, test } from "vitest"
import { isPublicAddress } from "../../containment/public-address.ts"
import { postPush, publicLookup, requireEndpoint } from "./endpoint.ts"

test.each([
  ...[
    "http://push.example.net/a",
    "https://localhost/a",
    "https://127.0.0.1/a",
    "https://2130706433/a",
  ],
  ...[
    "https://10.0.0.5/a",
    "https://192.168.1.1/a",
    "https://169.254.169.254/a",
    "https://[::1]/a",
  ],
  ...[
    "https://[::ffff:127.0.0.1]/a",
    "https://[fd00::1]/a",
    "https://router.local/a",
    "https://nas/a",
  ],
  ...[
    "https://nas./a",
    "https://db.internal/a",
    "https://u:p@push.example.net/a",
    "file:///etc/passwd",
  ],
  ...[
    "https://push.example.net:8443/a",
    "",
    "https://[64:ff9b::7f00:1]/a",
    "https://[2002:7f00:1::]/a",
  ],
])("%s is the address of no push service [38.20]", async (endpoint) => {
  const refusal = /not the address of a push service/
  expect(() => requireEndpoint(endpoint)).toThrow(refusal)
  const request = { headers: {}, body: Buffer.alloc(0), signal: AbortSignal.timeout(1_000) }
  await expect(postPush(endpoint, request)).rejects.toThrow(refusal)
})

test("push services of browsers are taken [38.20]", () => {
  requireEndpoint("https://fcm.googleapis.com/fcm/send/abc:def")
  requireEndpoint("https://updates.push.services.mozilla.com/wpush/v2/abc")
  requireEndpoint("https://web.push.apple.com/abc")
  expect(isPublicAddress("8.8.8.8")).toBe(true)
  expect(isPublicAddress("2606:4700::1")).toBe(true)
})

test("a name that leads to a private address is not connected to [38.20]", () => {
  const found = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]
  const answers: unknown[] = []
  const note = (...answer: unknown[]) => void answers.push(answer)
  publicLookup((_host, done) => done(null, found))("evil.example", {}, note)
  publicLookup((_host, done) => done(null, [...found, { address: "8.8.8.8", family: 4 }]))(
    "mixed.example",
    { all: true },
    note,
  )
  expect(answers).toEqual([
    [expect.objectContaining({ message: "it has no public address" }), "", 0],
    [null, [{ address: "8.8.8.8", family: 4 }]],
  ])
})
