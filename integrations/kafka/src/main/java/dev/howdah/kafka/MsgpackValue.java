package dev.howdah.kafka;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload as a {@code Value} of machinegun's protocol. If its bytes are an Erlang term that is such a value, as progressor's clients write
 * them ({@code {bin, Bytes}}, {@code {obj, Map}} and so on), it is that; any other bytes, JSON among them, are a {@code bin} as they are.
 */
final class MsgpackValue {
    private static final ErlangTerm.Tuple NIL = new ErlangTerm.Tuple(List.of(new ErlangTerm.Atom("mg_msgpack_Nil")));

    private MsgpackValue() {}

    /** Writes the one field of the union. */
    static void write(byte[] payload, ThriftWriter to) {
        Object term = ErlangTerm.of(payload);
        if (term != null && isValue(term)) field((ErlangTerm.Tuple) term, to);
        else to.binary(6, payload);
    }

    private static boolean isValue(@Nullable Object term) {
        if (!(term instanceof ErlangTerm.Tuple tuple)
                || tuple.parts().size() != 2
                || !(tuple.parts().get(0) instanceof ErlangTerm.Atom kind)) return false;
        Object of = tuple.parts().get(1);
        return switch (kind.name()) {
            case "nl" -> of.equals(NIL);
            case "b" -> of.equals(ErlangTerm.TRUE) || of.equals(ErlangTerm.FALSE);
            case "i" -> of instanceof Long;
            case "flt" -> of instanceof Double;
            case "str", "bin" -> of instanceof byte[];
            case "arr" -> of instanceof List<?> list && list.stream().allMatch(MsgpackValue::isValue);
            case "obj" ->
                of instanceof Map<?, ?> map
                        && map.entrySet().stream().allMatch(each -> isValue(each.getKey()) && isValue(each.getValue()));
            default -> false;
        };
    }

    private static void field(ErlangTerm.Tuple value, ThriftWriter to) {
        Object of = value.parts().get(1);
        switch (((ErlangTerm.Atom) value.parts().get(0)).name()) {
            case "nl" -> to.struct(1).end();
            case "b" -> to.flag(2, of.equals(ErlangTerm.TRUE));
            case "i" -> to.number(3, (Long) of);
            case "flt" -> to.fraction(4, (Double) of);
            case "str" -> to.binary(5, (byte[]) of);
            case "bin" -> to.binary(6, (byte[]) of);
            case "obj" -> {
                Map<?, ?> map = (Map<?, ?>) of;
                to.map(7, map.size());
                map.forEach((key, each) -> {
                    one(key, to);
                    one(each, to);
                });
            }
            default -> {
                List<?> list = (List<?>) of;
                to.list(8, list.size());
                for (Object each : list) one(each, to);
            }
        }
    }

    private static void one(Object value, ThriftWriter to) {
        field((ErlangTerm.Tuple) value, to);
        to.end();
    }
}
