/** Lets a process of Node write a profile of its processor time into a folder when it ends. */
export const profiledTo = (folder: string | undefined): NodeJS.ProcessEnv =>
	folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=2000` };
