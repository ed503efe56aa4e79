export { createMcpServer, type McpServerOptions } from './server.ts';
export { type ConnectAgent, renewingPort } from './renewing-port.ts';
