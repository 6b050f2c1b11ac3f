// Where this server's addresses begin: "/", or the public path behind a proxy ("/greenroom/").

const BASE = new URL("..", import.meta.url).pathname;

export const pathTo = (path) => BASE + path;
