/** System programs, which these scripts use but do not install. */
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The path of a program, searched in the given folders and in PATH; throws with instructions if it is missing. */
export async function requireProgram(
	name: string,
	folders: string[],
	debianPackage: string,
	purpose = 'Queue mode',
): Promise<string> {
	const searched = [...folders, ...(process.env['PATH'] ?? '').split(delimiter)];
	for (const file of searched.map((folder) => join(folder, name))) if (await isProgram(file)) return file;
	throw new Error(
		`${purpose} needs \`${name}\`, which is not on this machine.\nInstall it (\`sudo apt-get install ${debianPackage}\`) and start again.`,
	);
}

/** A subfolder of each installed version, newest version first. */
export async function newestFolders(root: string, below: string): Promise<string[]> {
	const versions = await readdir(root).catch(() => []);
	return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(root, version, below));
}

const isProgram = (file: string): Promise<boolean> =>
	access(file, constants.X_OK).then(
		() => true,
		() => false,
	);
