import { expect, test } from "vitest"
import { withoutLogin, withoutLogins } from "./address.ts"

test.each([
  ["https://user:wo@rd@x/y", "https://…@x/y"],
  ["https://token@x/a@b", "https://…@x/a@b"],
  ["HTTPS://u:p@h", "HTTPS://…@h"],
  ["ssh://git:word@h/x", "ssh://git:…@h/x"],
  ["ssh://-oProxyCommand=x@h/x", "ssh://-oProxyCommand=x@h/x"],
  ["https://h/?to=https://u:p@g", "https://h/?to=https://u:p@g"],
  ["https://user:wo//rd@x/y", "https://user:wo//rd@x/y"],
  ["git@h:x//y@z", "git@h:x//y@z"],
])("of the address %s, the login alone is left out, visibly", (address, shown) => {
  expect(withoutLogin(address)).toBe(shown)
})

test("within a command, each address is without its login", () => {
  const command = "curl 'https://u:p@h/x' https://token@g && test -e .//;x;: @"
  expect(withoutLogins(command)).toBe("curl 'https://…@h/x' https://…@g && test -e .//;x;: @")
})
