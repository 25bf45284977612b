// Loaded before the emulator, which would listen on every interface.
const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (first, ...rest) {
  if (first !== null && typeof first === "object") return listen.call(this, { ...first, host: "127.0.0.1" }, ...rest);
  return listen.call(this, first, "127.0.0.1", ...rest.filter((one) => typeof one === "function"));
};
