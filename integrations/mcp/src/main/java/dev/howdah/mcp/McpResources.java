package dev.howdah.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.agent.AgentTool;
import dev.howdah.console.internal.agent.AgentTools;
import dev.howdah.console.internal.api.ApiProblemException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What can be read without parameters as resources: {@code howdah://queues}, {@code howdah://jobs/{id}}. */
final class McpResources {
    private static final String SCHEME = "howdah:/";
    private static final String JSON_TYPE = "application/json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final AgentTools tools;

    McpResources(AgentTools tools) {
        this.tools = tools;
    }

    static boolean isResource(AgentTool tool) {
        return tool.isReading()
                && tool.schema().path("required").size()
                        == tool.path().chars().filter(each -> each == '{').count();
    }

    static McpSchema.Resource resource(AgentTool tool) {
        return McpSchema.Resource.builder()
                .uri(SCHEME + tool.path())
                .name(tool.name())
                .description(tool.words())
                .mimeType(JSON_TYPE)
                .build();
    }

    static McpSchema.ResourceTemplate template(AgentTool tool) {
        return McpSchema.ResourceTemplate.builder()
                .uriTemplate(SCHEME + tool.path())
                .name(tool.name())
                .description(tool.words())
                .mimeType(JSON_TYPE)
                .build();
    }

    /** @throws McpError if it is refused, or if it could not be read, which are different codes */
    McpSchema.ReadResourceResult read(AgentTool tool, String uri, Caller caller) {
        try {
            return found(tool, uri, caller);
        } catch (RuntimeException e) {
            ApiProblemException problem = McpProtocol.problem(e);
            throw McpError.builder(
                            problem.status() < 500
                                    ? McpSchema.ErrorCodes.INVALID_PARAMS
                                    : McpSchema.ErrorCodes.INTERNAL_ERROR)
                    .message(problem.detail())
                    .build();
        }
    }

    private McpSchema.ReadResourceResult found(AgentTool tool, String uri, Caller caller) {
        ObjectNode arguments = JSON.createObjectNode();
        String[] path = tool.path().split("/", -1);
        String[] given = uri.substring(SCHEME.length()).split("/", -1);
        for (int i = 0; i < path.length && i < given.length; i++)
            if (path[i].startsWith("{"))
                arguments.put(
                        path[i].substring(1, path[i].length() - 1),
                        URLDecoder.decode(given[i].replace("+", "%2B"), StandardCharsets.UTF_8));
        String text = tools.call(tool, arguments, caller).toString();
        return new McpSchema.ReadResourceResult(List.of(new McpSchema.TextResourceContents(uri, JSON_TYPE, text)));
    }
}
