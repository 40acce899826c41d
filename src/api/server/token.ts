/** The token of a request, and whether it is the one that is wanted. */
import { timingSafeEqual } from "node:crypto"
import type { FastifyRequest } from "fastify"

export const tokenOf = ({ authorization = "" }: FastifyRequest["headers"]): string =>
  authorization.replace(/^Bearer /, "")

export function isSameToken(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
