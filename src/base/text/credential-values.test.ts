/** Values that a variable named as a secret may have: made up, in the shape of real ones. */
import { expect, test } from "vitest"
import { hide } from "./hide.ts"
import { credentialsOf, credentialsOfCommand, credentialsOfServer } from "./redact.ts"

const CREDENTIALS = `
AKIA4Q7ZP2MX9LWT3RBD ASIA2B9XKQ7Z4MVN8TRC wJ4lrXUtn7EMIxK7MDb3Gq9bPxRf2CYzAw8kL5vT
wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY ghp_4fK9sLq2Vx7Rt1Zm8Nb3Wc6Yd5Hj0Pg2Ta9
gho_4fK9sLq2Vx7Rt1Zm8Nb3Wc6Yd5Hj0Pg2Ta9 ghs_4fK9sLq2Vx7Rt1Zm8Nb3Wc6Yd5Hj0Pg2Ta9
github_pat_11ABCDEFG0a1b2c3d4e5f6_g7h8i9j0k1l2m3n4 glpat-x7Kq2Zm9Vt4Rb8Ns1Lw3
xoxb-204857361924-1827364550192-a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3R xoxp-20485736192-18273645501-a8Fk2Lm9
sk_live_4eC39HqLyjWDarjtT1zdp7dc rk_test_51Hx9aKq2Zm7Vt4Rb8Ns1Lw3 whsec_9aKq2Zm7Vt4Rb8Ns1Lw3Xc6Y
sk-proj-a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3RtT3BlbkFJ sk-ant-api03-a8Fk2Lm9Qz7-Xc4Vb1Nn6Pp3R-AA
sk-ant-oat01-a8Fk2Lm9Qz7Xc4Vb1Nn6 AIzaSyD4f9K2mQ7xV1tR8bN3wL6cY5hJ0pG2aT9 ya29.a0AfB2y9Kq7Zm4Vt1Rb8Ns3Lw6Xc
npm_a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3RtT5yH0jK2sD9 pypi-AgEIcHlwaS5vcmcCJDk4M2Q1ZjA3 hf_qKz7Xc4Vb1Nn6Pp3RtT5yH0jK2sD9aLm
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r5wW1gFWFOEjXk
lin_api_a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3RtT5yH0jK SG.a8Fk2Lm9Qz7Xc4Vb1Nn6.Pp3RtT5yH0jK2sD9aLm4
dop_v1_5f4dcc3b5aa765d61d8327deb882cf99 5f4dcc3b5aa765d61d8327deb882cf99
9e107d9d372bb6826bd81d3542a419d6b1c3f5a7 0a1b2c3d4e5f60718293a4b5c6d7e8f9
123e4567-e89b-12d3-a456-426614174000 f47ac10b-58cc-4372-a567-0e02b2c3d479
c2VjcmV0LXZhbHVlLTEyMzQ1Njc4OTA= q83vEjRWeJq83vEjRWeJ7g== hunter2hunter2 p@5Xq!9zR#2mLw
dckr_pat_a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3R MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7CqIp8
pk.eyJ1IjoiYWRhIiwiYSI6ImNrOXF3In0.x7Kq2Zm9Vt4Rb8Ns1Lw3 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
vault.s.a8Fk2Lm9Qz7Xc4Vb1Nn6Pp3R KGCL4-63JUW-4GVWM-TTQ2X-B7RDN a8Fk2-Lm9Qz-7Xc4V-b1Nn6
mzxw6ytboi4gk3tunfxgk2lomvzxi5dj 7kq2zm9vtrbnslwxcy4g 01hx9akq2zm7vtrbnslwxcyd5h NRAK-7K2MQ9XV4TR8BN1WL3CY6HJ5PG0`

const WORKS = `
production-eu-2026 staging-us-2025 postgres password customer_id created_at eu-central-1 us-east-1a
changeme correct-horse-battery-staple db.internal.example.com redis-cache-01.prod.example.com:6379
localhost:5432 127.0.0.1:8080 https://tokens.example/v1/2026 postgres://postgres:postgres@localhost/app
/home/ada/.ssh/id_ed25519 ./secrets/deploy_key_2026.pem ~/.config/app/key.json /run/secrets/db_password_1
2026-11-27 2026-11-27T06:30:00Z 20261127063000 v1.24.3-beta.2 node24-bookworm-arm64 x86_64-unknown-linux-gnu
claude-sonnet-4-5-20250929 gpt-4o-mini-2024-07-18 claude-3-5-sonnet-20241022 registry.example.com/team/app:2.14.0
customerAccountIdV2 PRIMARY_KEY_COLUMN_2 feature/login-page-2026 deps-linux-node24-v3 org.example.app.Main2
arn:aws:kms:us-east-1:123456789012:key/f47ac10b-58cc-4372-a567-0e02b2c3d479 i18n-l10n-a11y
s3-us-east-1-v2-k8s-m5xlarge sha256 RS256 test-key-123 SuperSecret2026 Europe/Berlin 1234567890123456
ada.lovelace2026@example.com my_project_development_2 v1.4.0-12-g3f2a9bc`

const list = (text: string) => text.trim().split(/\s+/)

test.each(list(CREDENTIALS))("a variable with this value has a credential: %s [29.5]", (value) => {
  expect(credentialsOf({ SERVICE_KEY: value })).toContain(value)
})

test.each(list(WORKS))("a variable with this value has a word of the work: %s [29.5]", (value) => {
  expect(credentialsOf({ SERVICE_KEY: value })).toEqual([])
})

test("the lines of a key in JSON are credentials each, also alone [29.5]", () => {
  const lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "x7Kq2Zm9Vt4Rb8Ns1Lw3a8Fk2Lm9Qz7X"]
  const key = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`
  const account = { type: "service_account", private_key: key, client_email: "a@b.example" }
  for (const value of [JSON.stringify(account, null, 2), JSON.stringify(account)]) {
    const known = credentialsOf({ GOOGLE_CREDENTIALS: value })
    const shown = `  "private_key": "-----BEGIN PRIVATE KEY-----\\n${lines[0]}\\n${lines[1]?.slice(0, 20)}…`
    expect(hide(shown, known)).toBe(
      `  "private_key": "-----BEGIN PRIVATE KEY-----\\n[redacted]\\n[redacted]…`,
    )
    expect(hide("a service_account of a@b.example", known)).toContain("service_account of a@b")
  }
})

test.each(["api_key", "token", "access_token"])(
  "a key in the query of an MCP server's address is a credential: ?%s= [29.5]",
  (name) => {
    const url = `https://mcp.example/sse?team=platform-2026-11&${name}=mcp-token-12%2F34#top`
    const known = credentialsOfServer({}, url)
    expect(known).toEqual(expect.arrayContaining(["mcp-token-12/34", "mcp-token-12%2F34"]))
    expect(known.join()).not.toContain("platform")
  },
)

test.each([
  [["--api-key", "mcp-token-1234"]],
  [["--token=mcp-token-1234"]],
  [["-e", "API_KEY=mcp-token-1234a8Fk2Lm9Qz7Xc4Vb1"]],
  [["--header", "Authorization: Bearer mcp-token-1234"]],
  [["https://mcp.example/sse?api_key=mcp-token-1234"]],
  [["--header", "Authorization:Bearer mcp-token-1234"]],
  [["--header=X-Api-Key: mcp-token-1234"]],
  [["--pat", "mcp-token-1234"]],
])("a credential in the command of an MCP server is known: %j [29.5]", (words) => {
  const known = credentialsOfCommand(["npx", "@team/server-2026", "--port", "8080", ...words])
  expect(hide("mcp-token-1234a8Fk2Lm9Qz7Xc4Vb1", known)).toContain("[redacted]")
  expect(hide("npx @team/server-2026 --port 8080", known)).toBe("npx @team/server-2026 --port 8080")
})

test("words in the command of an MCP server are none: its variables count like all others [29.5]", () => {
  const words = ["npx", "-e", "CACHE_KEY=production-eu-2026", "--sort-key=created_at", "--token"]
  expect(credentialsOfCommand(words)).toEqual([])
  const others =
    "--key-prefix production-eu-2026 --author ada-lovelace-2026 --tokenizer o200k_harmony_2026 --token-env LINEAR_API_TOKEN_2026 --key-file certs/prod-2026-11.pem --no-auth @team/server-2026 https://mcp.example/?keyspace=customers-v2-2026"
  expect(credentialsOfCommand(others.split(" "))).toEqual([])
})
