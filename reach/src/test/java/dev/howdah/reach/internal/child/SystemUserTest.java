package dev.howdah.reach.internal.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** Only root runs programs as another user: what it may be is tried where the tests run as root. */
class SystemUserTest {
    private static SystemUser read(String json) throws JsonProcessingException {
        return SystemUser.of(new ObjectMapper().readTree(json), true);
    }

    @Test
    void user_hasItsGroupOfTheSystem_whateverThatIsCalled() throws JsonProcessingException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        String group = SystemTools.answer(SystemTools.needed("id", "this test"), "-g", "nobody");
        assertThat(group).matches("\\d+");
        assertThat(read("{\"user\": \"nobody\"}").prefix()).contains("--reuid=nobody", "--regid=" + group);
        assertThat(read("{\"user\": \"nobody\", \"group\": \"daemon\"}").prefix())
                .contains("--regid=daemon");
    }

    @Test
    void userOrGroup_thatIsNotThere_isRefusedWhenTheFileIsRead() {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        assertThatThrownBy(() -> read("{\"user\": \"no-such-user\"}"))
                .hasMessage("\"user\" has to be a user of the system, and there is no no-such-user");
        assertThatThrownBy(() -> read("{\"user\": \"nobody\", \"group\": \"no-such-group\"}"))
                .hasMessage("\"group\" has to be a group of the system, and there is no no-such-group");
    }
}
