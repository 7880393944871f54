package dev.howdah.mcp;

import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import java.util.Map;

/** Leaves the checks to the routes, so that no validator of schemas, and no parser of YAML with it, is in the program. */
final class NoValidator implements JsonSchemaValidator {
    @Override
    public ValidationResponse validate(Map<String, Object> schema, Object content) {
        return ValidationResponse.asValid("");
    }
}
