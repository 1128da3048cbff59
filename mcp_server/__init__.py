"""The unified MCP server: ten biomedical databases behind one protocol; knows no Django."""
