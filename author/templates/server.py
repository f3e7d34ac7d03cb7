from mcp.server.fastmcp import FastMCP

mcp = FastMCP({{quoted name}})


@mcp.tool()
def count_words(text: str) -> str:
    """Count the words in text."""
    return str(len(text.split()))


if __name__ == "__main__":
    mcp.run()
