// The licences of everything that is in the built file, as each asks to be passed on.
import { readFileSync, readdirSync, existsSync, writeFileSync } from "node:fs";

const [, , built, target] = process.argv;
const inputs = Object.keys(JSON.parse(readFileSync(built, "utf8")).inputs);
const names = inputs.map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean);
const texts = [...new Set(names)].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const words = file && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf8").trim() : license;
  return `${name} ${version} (${license})\n\n${words}\n`;
});
writeFileSync(target, texts.join(`\n${"-".repeat(80)}\n\n`));
