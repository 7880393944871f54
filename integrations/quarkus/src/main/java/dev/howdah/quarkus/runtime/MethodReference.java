package dev.howdah.quarkus.runtime;

import io.quarkus.runtime.RuntimeValue;
import jakarta.enterprise.invoke.Invoker;
import java.util.List;

/** A method of a bean that handles jobs, as it was found when the application was built. */
public final class MethodReference {
    private Class<?> declaring = Object.class;
    private String name = "";
    private List<Class<?>> parameters = List.of();
    private RuntimeValue<Invoker<?, ?>> invoker = new RuntimeValue<>();

    public Class<?> getDeclaring() {
        return declaring;
    }

    public void setDeclaring(Class<?> declaring) {
        this.declaring = declaring;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public List<Class<?>> getParameters() {
        return parameters;
    }

    public void setParameters(List<Class<?>> parameters) {
        this.parameters = parameters;
    }

    /** Calls the method on the bean, which it looks up. */
    public RuntimeValue<Invoker<?, ?>> getInvoker() {
        return invoker;
    }

    public void setInvoker(RuntimeValue<Invoker<?, ?>> invoker) {
        this.invoker = invoker;
    }
}
