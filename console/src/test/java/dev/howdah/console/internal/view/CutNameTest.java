package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CutNameTest {
    @Test
    void longName_isCutInTheMiddle_andIsWholeTogether() {
        CutName name = CutName.of("tenant-provisioning-and-deprovisioning-eu-central-1");
        assertThat(name.head()).isEqualTo("tenant-provisionin");
        assertThat(name.tail()).isEqualTo("ing-eu-central-1");
        assertThat(name.whole()).isEqualTo("tenant-provisioning-and-deprovisioning-eu-central-1");
        assertThat(CutName.of(null)).isEqualTo(new CutName("", "", ""));
        assertThat(CutName.of("x".repeat(36)).middle()).isEmpty();
    }

    @Test
    void signsOfTwoParts_areNotTornApart() {
        CutName name = CutName.of("🔔".repeat(40));
        assertThat(name.head()).isEqualTo("🔔".repeat(18));
        assertThat(name.whole()).isEqualTo("🔔".repeat(40));
    }

    @Test
    void someNames_areTheFirstAndANumber() {
        assertThat(Texts.some(List.of())).isEmpty();
        assertThat(Texts.some(List.of("mail"))).isEqualTo("mail");
        assertThat(Texts.some(List.of("mail", "b", "c"))).isEqualTo("mail +2");
        assertThat(Texts.some(List.of("tenant-provisioning-and-deprovisioning-eu-central-1", "c")))
                .isEqualTo("tenant-provisionin…ing-eu-central-1 +1");
    }

    @Test
    void restOfAnError_isWhatItsLineDoesNotShow() {
        assertThat(Texts.rest("short")).isEmpty();
        assertThat(Texts.rest("boom\n  at a.B\n")).isEqualTo("  at a.B");
        assertThat(Texts.rest("x".repeat(100))).isEqualTo("x".repeat(100));
        assertThat(Texts.rest("x".repeat(900))).isEqualTo("x".repeat(600) + "…");
    }
}
