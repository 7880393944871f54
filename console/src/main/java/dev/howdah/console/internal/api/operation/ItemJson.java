package dev.howdah.console.internal.api.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.BoundedCount;
import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.shape.FieldType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes declared objects as JSON, and as cells of CSV. Safe for use by many threads.
 *
 * @param mask of secrets
 * @param role of the reader
 */
public record ItemJson(ApiMask mask, Role role) {
    /** An object of a list. */
    public <R> ObjectNode listed(ListItem<R> item, R row) {
        return json(item.listed(), row);
    }

    /** An object by itself. */
    public <R> ObjectNode whole(ListItem<R> item, R row) {
        return json(item.columns(), row);
    }

    private <R> ObjectNode json(List<ListColumn<R>> columns, R row) {
        ObjectNode json = ApiJson.object();
        for (ListColumn<R> each : columns) put(json, each, each.value().apply(row));
        return json;
    }

    private void put(ObjectNode json, ListColumn<?> column, @Nullable Object value) {
        String name = column.name();
        ListItem<?> item = column.item();
        if (value == null) return;
        if (item != null && value instanceof List<?> rows) {
            ArrayNode array = json.putArray(name);
            for (Object each : rows) array.add(nested(item, each));
        } else if (item != null) json.set(name, nested(item, value));
        else if (value instanceof BoundedCount count) ApiJson.count(json, name, count.value(), count.isExact());
        else if (column.field().type() == FieldType.JSON && value instanceof String document) {
            if (column.mask() == ListColumn.Mask.NONE) json.set(name, ApiJson.stored(document));
            else mask.stored(json, name, document, role);
        } else if (column.field().type() == FieldType.INTEGER && value instanceof Long number)
            json.put(name, ApiJson.number(number));
        else if (value instanceof Enum<?> constant) json.put(name, ListModel.word(constant));
        else if (column.mask() == ListColumn.Mask.SECRETS) mask.text(json, name, value.toString(), role);
        else if (column.mask() == ListColumn.Mask.ADDRESS) mask.address(json, name, value.toString());
        else ApiJson.put(json, name, value);
    }

    private <S> ObjectNode nested(ListItem<S> item, Object row) {
        @SuppressWarnings("unchecked") // A column is declared with objects of its item.
        S typed = (S) row;
        return whole(item, typed);
    }

    /** A value as a cell of CSV; null: there is none. */
    static @Nullable Object cell(ObjectNode row, String name) {
        JsonNode value = row.get(name);
        if (value == null) return null;
        if (value.isNumber()) return value.numberValue();
        if (value.isObject() && value.has("exact"))
            return value.path("value").asText() + (value.path("exact").asBoolean() ? "" : "+");
        if (value.isArray() && StreamSupport.stream(value.spliterator(), false).allMatch(JsonNode::isTextual))
            return StreamSupport.stream(value.spliterator(), false)
                    .map(JsonNode::textValue)
                    .collect(Collectors.joining(", "));
        return value.isContainerNode() ? ApiJson.text(value) : value.asText();
    }
}
