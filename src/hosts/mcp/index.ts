export { type AgentConnection, agentConnection, type OpenSession } from './agent-connection.ts';
export { type ConnectAgent, renewingPort } from './renewing-port.ts';
export { createMcpServer, type McpServerOptions } from './server.ts';
