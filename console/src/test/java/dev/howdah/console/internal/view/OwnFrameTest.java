package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OwnFrameTest {
    @Test
    void frame_ofJava_isTheFirstThatIsOfNoLibrary() {
        OwnFrame own = OwnFrame.of("""
                java.lang.IllegalStateException: at night
                \tat java.base/java.util.Optional.orElseThrow(Optional.java:403)
                \tat org.springframework.util.Assert.state(Assert.java:79)
                \tat app//com.example.Billing.charge(Billing.java:42)
                \tat com.example.Main.main(Main.java:7)
                """);
        assertThat(own.frame()).isEqualTo("at app//com.example.Billing.charge(Billing.java:42)");
        assertThat(own.before()).endsWith("(Assert.java:79)\n\t");
        assertThat(own.after()).startsWith("\n\tat com.example.Main");
    }

    @Test
    void frame_ofPython_isTheLastThatIsOfNoLibrary_withItsLine() {
        OwnFrame own = OwnFrame.of("""
                Traceback (most recent call last):
                  File "/srv/app/main.py", line 3, in run
                    step()
                  File "/srv/app/thumb.py", line 9, in step
                    img = load(img)
                  File "/usr/lib/python3.11/site-packages/PIL/Image.py", line 1, in load
                    raise Bad()
                PIL.Bad: cannot identify
                """);
        assertThat(own.frame()).isEqualTo("File \"/srv/app/thumb.py\", line 9, in step\n    img = load(img)");
    }

    @Test
    void texts_withoutAFrameOfTheirOwn_areWhole() {
        for (String text : new String[] {"", "HTTP 503", "boom\n\tat java.lang.Thread.run(Thread.java:840)"})
            assertThat(OwnFrame.of(text)).isEqualTo(new OwnFrame(text, "", ""));
    }
}
