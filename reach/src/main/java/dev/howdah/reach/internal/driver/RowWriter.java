package dev.howdah.reach.internal.driver;

import java.io.DataOutputStream;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a statement, values as PostgreSQL shows them. */
final class RowWriter {
    private final DataOutputStream output;

    RowWriter(DataOutputStream output) {
        this.output = output;
    }

    void write(ResultSet rows) throws SQLException, IOException {
        ResultSetMetaData columns = rows.getMetaData();
        int count = columns.getColumnCount();
        int[] types = new int[count];
        output.write(DriverFrames.COLUMNS);
        output.writeInt(count);
        for (int i = 0; i < count; i++) {
            types[i] = columns.getColumnType(i + 1);
            DriverFrames.write(output, columns.getColumnLabel(i + 1));
            output.writeBoolean(isPlain(types[i]));
        }
        while (rows.next()) {
            output.write(DriverFrames.ROW);
            for (int i = 0; i < count; i++) DriverFrames.write(output, value(rows, i + 1, types[i]));
        }
        output.write(DriverFrames.END_OF_ROWS);
    }

    private static boolean isPlain(int type) {
        return switch (type) {
            case Types.BIT,
                    Types.BOOLEAN,
                    Types.TINYINT,
                    Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.REAL,
                    Types.FLOAT,
                    Types.DOUBLE,
                    Types.NUMERIC,
                    Types.DECIMAL -> true;
            default -> false;
        };
    }

    private static @Nullable String value(ResultSet rows, int column, int type) throws SQLException {
        return switch (type) {
            case Types.BIT, Types.BOOLEAN -> {
                Object value = rows.getObject(column);
                if (value instanceof Boolean truth) yield truth ? "t" : "f";
                yield value instanceof byte[] bytes ? hex(bytes) : rows.getString(column);
            }
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> hex(rows.getBytes(column));
            case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> time(rows.getString(column));
            default -> rows.getString(column);
        };
    }

    private static @Nullable String time(@Nullable String text) {
        if (text == null) return null;
        return text.replaceFirst("^(\\d{4,}-\\d\\d-\\d\\d)T", "$1 ").replaceFirst("(:\\d\\d)\\.0+(?!\\d)", "$1");
    }

    private static @Nullable String hex(byte @Nullable [] bytes) {
        if (bytes == null) return null;
        return "\\x" + HexFormat.of().formatHex(bytes);
    }
}
