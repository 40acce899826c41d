import { expect, test } from "vitest"
import { gateDependence } from "./gate-files.ts"

test.each([
  ["npm test", ".npmrc"],
  ["cd web && /usr/bin/yarn test", ".yarnrc.yml"],
  ["bunx vitest", "bunfig.toml"],
  ["cargo test --locked", ".cargo/config.toml"],
  ["python3 -m pytest -q", "conftest.py"],
  ["./mvnw verify", ".mvn/wrapper/maven-wrapper.properties"],
  ["./gradlew check", "gradle.properties"],
  ["make -C lib check", "GNUmakefile"],
  ["direnv exec . x", ".envrc"],
  ["mise run check", "mise.toml"],
])("%s reads %s by itself, in whichever folder it runs", (command, file) => {
  expect(gateDependence(command).anywhere).toContain(file)
})

test("a program that only has such a name as a word of its own reads nothing more", () => {
  expect(gateDependence("sh makeshift npmish").anywhere).toEqual([])
})
