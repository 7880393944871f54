package dev.howdah.reach.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that tasks do not reach. */
class AddressesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "10.1.2.3",
                "100.64.0.1",
                "127.0.0.1",
                "169.254.1.1",
                "172.31.0.1",
                "192.0.0.8",
                "192.168.1.1",
                "198.19.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "fc00::1",
                "fd12::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "2001::1",
                "::ffff:10.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b:1::8.8.8.8",
                "64:ff9b:1:a00:0:100::",
                "::ffff:0:10.0.0.1",
                "2002:0a00:0001::1",
                "::10.0.0.1"
            })
    void address_ofANetworkOfOnesOwn_isPrivate(String address) throws UnknownHostException {
        assertThat(Addresses.isPrivate(InetAddress.getByName(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8",
                "100.128.0.1",
                "172.32.0.1",
                "2606:4700::1",
                "2002:0808:0808::1",
                "64:ff9b::8.8.8.8",
                "198.20.0.1"
            })
    void address_ofTheInternet_isNotPrivate(String address) throws UnknownHostException {
        assertThat(Addresses.isPrivate(InetAddress.getByName(address))).isFalse();
    }

    @Test
    void name_withOnePrivateAddressAmongOthers_isRefused() {
        Addresses addresses = new Addresses(
                host -> new InetAddress[] {InetAddress.getByName("8.8.8.8"), InetAddress.getByName("10.0.0.1")});
        assertThatThrownBy(() -> addresses.of("two.example", false))
                .isInstanceOf(Addresses.PrivateAddressException.class)
                .hasMessageNotContaining("10.0.0.1");
    }

    @Test
    void metadata_ofACloud_isRefusedWhereverItIsAllowed() {
        Addresses addresses = new Addresses(InetAddress::getAllByName);
        for (String each : new String[] {
            "169.254.169.254",
            "168.63.129.16",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "::ffff:168.63.129.16",
            "fd20:ce::254",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1"
        }) assertThatThrownBy(() -> addresses.of(each, true)).isInstanceOf(Addresses.PrivateAddressException.class);
    }

    /** Also at a public address: past the firewall, as programs of this machine are. */
    @Test
    void address_ofThisMachine_isPrivateHoweverItIsWritten() throws UnknownHostException {
        assertThat(Addresses.isOfThisMachine(InetAddress.getLoopbackAddress())).isTrue();
        assertThat(Addresses.isOfThisMachine(InetAddress.getByName("192.0.2.1")))
                .isFalse();
        InetAddress own = InetAddress.getByName("8.8.4.4");
        InetAddress six = InetAddress.getByName("2001:4860::4");
        Addresses addresses = new Addresses(
                InetAddress::getAllByName, Duration.ofSeconds(5), each -> each.equals(own) || each.equals(six));
        for (String each :
                new String[] {"8.8.4.4", "::ffff:8.8.4.4", "64:ff9b::8.8.4.4", "2002:808:404::1", "2001:4860:0::4"}) {
            assertThatThrownBy(() -> addresses.of(each, false))
                    .as(each)
                    .isInstanceOf(Addresses.PrivateAddressException.class);
            assertThat(addresses.of(each, true)).hasSize(1);
        }
        assertThat(addresses.of("2002:808:808::1", false)).hasSize(1);
    }

    @Test
    void name_isResolvedOnceForAConnection() throws UnknownHostException {
        AtomicInteger asked = new AtomicInteger();
        Addresses addresses =
                new Addresses(host -> InetAddress.getAllByName(asked.getAndIncrement() == 0 ? "8.8.8.8" : "10.0.0.1"));
        assertThat(addresses.of("rebinds.example", false)).containsExactly(InetAddress.getByName("8.8.8.8"));
        assertThat(asked).hasValue(1);
    }

    @Test
    @Timeout(60)
    void name_whoseServersSayNothing_isNotWaitedForForEver() throws UnknownHostException {
        CountDownLatch over = new CountDownLatch(1);
        Addresses addresses = new Addresses(
                host -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return InetAddress.getAllByName("8.8.8.8");
                },
                Duration.ofMillis(200),
                each -> false);
        assertThatThrownBy(() -> addresses.of("silent.example", false))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("no answer about silent.example");
        over.countDown();
        assertThat(addresses.of("silent.example", false)).containsExactly(InetAddress.getByName("8.8.8.8"));
    }
}
