package dev.howdah.reach.internal.call;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses of IPv6 as they stand in a remote or a list, each of which has many forms. */
final class AddressLiteral {
    private AddressLiteral() {}

    /**
     * The usual form (RFC 5952): {@code ::1} for {@code 0:0:0:0:0:0:0:1}. One that is an address of IPv4 becomes that.
     *
     * @param text without brackets
     * @throws IllegalArgumentException if it is none
     */
    static String canonical(String text) {
        if (text.indexOf(':') < 0 || !text.matches("[0-9a-fA-F:.]+")) throw new IllegalArgumentException("no address");
        InetAddress address;
        try {
            // No name has a colon, so that none is looked up.
            address = InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address", e);
        }
        return address instanceof Inet6Address ? text(address.getAddress()) : address.getHostAddress();
    }

    private static String text(byte[] bytes) {
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        int from = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && groups[end] == 0) end++;
            if (end - i > length) {
                from = i;
                length = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == from) {
                text.append("::");
                i += length - 1;
                continue;
            }
            if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') text.append(':');
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
