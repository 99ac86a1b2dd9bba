/** What a bundle holds of others: their licence texts for people, and the same list as a CycloneDX file for machines. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Written beside the bundle, from what the bundler says it read: nothing is listed by hand. */
export async function writeInventory(output, owner, metafiles) {
	const components = await componentsIn(metafiles);
	await writeFile(path.join(output, 'THIRD-PARTY-NOTICES.txt'), noticesOf(owner, components));
	await writeFile(path.join(output, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(owner, components), null, '\t')}\n`);
}

async function componentsIn(metafiles) {
	const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
	const inputs = outputs
		.flatMap((output) => Object.entries(output.inputs))
		.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
		.map(([file]) => path.resolve(root, file));
	const folders = [...new Set(inputs.flatMap((file) => packageFolder(file) ?? []))];
	const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
	const components = await Promise.all(
		folders.map(async (folder) => {
			const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
			const { name, version, license } = manifest;
			const { integrity } = packages[path.relative(root, folder).split(path.sep).join('/')] ?? {};
			return { name, version, license, integrity, text: await licenceText(folder, name) };
		}),
	);
	return components.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The folder of the installed package a file belongs to; none for a file of ours. */
function packageFolder(file) {
	const [, outer, name] = /^(.*[\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
	return name && outer + name;
}

/** From the file that holds it, or from the part of the readme that does. */
async function licenceText(folder, name) {
	const files = await readdir(folder);
	const file = files.find((one) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(one));
	const notice = files.find((one) => /^notice(\.(md|txt))?$/i.test(one));
	const readme = files.find((one) => /^readme\.md$/i.test(one));
	const read = async (one) => (await readFile(path.join(folder, one), 'utf8')).replaceAll('\r\n', '\n').trim();
	const said = file
		? await read(file)
		: readme
			? (/^#* *licen[cs]e\n(?:-+\n)?([^]+)/im.exec(await read(readme))?.[1] ?? '')
			: '';
	if (!/permission|licensed under/i.test(said)) throw new Error(`No licence text was found for ${name}`);
	return [said.trim(), ...(notice ? [await read(notice)] : [])].join('\n\n');
}

const noticesOf = (owner, components) =>
	[
		`${owner.name} ${owner.version} contains the following software of others, each under the licence that follows its name.`,
		...components.map(
			({ name, version, license, text }) => `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}`,
		),
	].join('\n\n') + '\n';

/** CycloneDX 1.6. Without a time and a number of its own, so that the same sources give the same bytes. */
const sbomOf = (owner, components) => ({
	bomFormat: 'CycloneDX',
	specVersion: '1.6',
	version: 1,
	metadata: {
		component: {
			type: 'library',
			'bom-ref': purlOf(owner),
			name: owner.name,
			version: owner.version,
			purl: purlOf(owner),
			licenses: [{ license: { id: owner.license } }],
		},
	},
	components: components.map((component) => ({
		type: 'library',
		'bom-ref': purlOf(component),
		name: component.name,
		version: component.version,
		purl: purlOf(component),
		licenses: [{ license: { id: component.license } }],
		...(component.integrity ? { hashes: [{ alg: 'SHA-512', content: hexOf(component.integrity) }] } : {}),
	})),
	dependencies: [{ ref: purlOf(owner), dependsOn: components.map(purlOf) }],
});

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const hexOf = (integrity) => Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
