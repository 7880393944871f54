package dev.howdah.console.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.operations.Role;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rates, ends of sessions, addresses of proxies and roles, with a clock that is moved. */
class AccessRulesTest {
    private final AtomicLong clock = new AtomicLong();

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void rate_usedUp_comesBackWithTime_andOthersHaveTheirOwn() {
        RateLimiter rate = new RateLimiter(2, 3, clock::get);
        for (int i = 0; i < 3; i++) assertThat(rate.take("ann")).isTrue();
        assertThat(rate.take("ann")).isFalse();
        assertThat(rate.take("bob")).isTrue();
        pass(Duration.ofMillis(500));
        assertThat(rate.has("ann")).isTrue();
        assertThat(rate.take("ann")).isTrue();
        assertThat(rate.take("ann")).isFalse();
        pass(Duration.ofDays(1));
        for (int i = 0; i < 3; i++) assertThat(rate.take("ann")).isTrue();
        assertThat(rate.take("ann")).isFalse();
    }

    @Test
    void session_endsAfterEightHoursWithoutUse_lookingIsNoUse() {
        Sessions sessions = new Sessions(clock::get);
        String id = sessions.open(new Identity("ann", Role.VIEWER, null), "::1", "http://a:1");
        pass(Duration.ofHours(7));
        assertThat(sessions.find(id)).isNotNull();
        pass(Duration.ofHours(2));
        assertThat(sessions.find(id)).isNull();
    }

    @Test
    void session_thatIsUsed_endsAfterADay() {
        Sessions sessions = new Sessions(clock::get);
        String id = sessions.open(new Identity("ann", Role.VIEWER, null), "::1", "http://a:1");
        for (int i = 0; i < 4; i++) {
            pass(Duration.ofHours(6));
            assertThat(sessions.use(id, "http://a:1")).isNotNull();
        }
        pass(Duration.ofSeconds(1));
        assertThat(sessions.use(id, "http://a:1")).isNull();
    }

    @Test
    void key_ofALink_isGoodOnce_forTenMinutes() {
        Sessions sessions = new Sessions(clock::get);
        String key = sessions.key();
        assertThat(sessions.take(key)).isTrue();
        assertThat(sessions.take(key)).isFalse();
        String late = sessions.key();
        pass(Duration.ofMinutes(11));
        assertThat(sessions.take(late)).isFalse();
        assertThat(sessions.take(null)).isFalse();
    }

    @Test
    void proxies_areKnownByAddressAndRange() {
        TrustedProxies proxies = new TrustedProxies(List.of("10.0.0.5", "10.1.0.0/15", "2001:db8::/32"));
        for (String known : List.of("10.0.0.5", "10.1.2.3", "10.0.255.1", "[2001:db8::7]", "2001:db8:ffff::1"))
            assertThat(proxies.contains(known)).as(known).isTrue();
        for (String other : List.of("10.2.0.1", "11.0.0.5", "2001:db9::1", "localhost", "", "::ffff:9.9.9.9"))
            assertThat(proxies.contains(other)).as(other).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.5.example", "/8", "2001:db8::/129"})
    void proxy_thatIsNoAddress_isRefused(String text) {
        assertThatThrownBy(() -> new TrustedProxies(List.of(text))).hasMessageContaining("is no address of a proxy");
    }

    @Test
    void roles_coverWhatIsBelowThem() {
        assertThat(Role.ADMINISTRATOR.covers(Role.OPERATOR)).isTrue();
        assertThat(Role.OPERATOR.covers(Role.OPERATOR)).isTrue();
        assertThat(Role.OPERATOR.covers(Role.ADMINISTRATOR)).isFalse();
        assertThat(Role.VIEWER.covers(Role.OPERATOR)).isFalse();
        assertThat(Role.VIEWER.covers(Role.VIEWER)).isTrue();
    }
}
