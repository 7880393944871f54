package dev.howdah.reach.internal.ssh;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.EdECKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.KeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Optional;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PrivateKeyEntryDecoder;
import org.apache.sshd.common.config.keys.PublicKeyEntryDecoder;
import org.apache.sshd.common.config.keys.loader.openssh.OpenSSHKeyPairResourceParser;
import org.apache.sshd.common.config.keys.loader.pem.PEMResourceParserUtils;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.security.AbstractSecurityProviderRegistrar;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.apache.sshd.common.util.security.eddsa.generic.EdDSASupport;
import org.apache.sshd.common.util.security.eddsa.generic.EdDSAUtils;
import org.apache.sshd.common.util.security.eddsa.generic.GenericEd25519PEMResourceKeyParser;
import org.apache.sshd.common.util.security.eddsa.generic.GenericEd25519PublicKeyDecoder;
import org.apache.sshd.common.util.security.eddsa.generic.GenericOpenSSHEd25519PrivateKeyEntryDecoder;
import org.apache.sshd.common.util.security.eddsa.generic.GenericSignatureEd25519;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of Ed25519, which hosts and users mostly have, by the signatures of Java: the library brings none of its own, and knows those of
 * other libraries alone. Immutable.
 */
final class Ed25519Support implements EdDSASupport<EdECPublicKey, EdECPrivateKey> {
    private static final Logger log = LoggerFactory.getLogger(Ed25519Support.class);
    private static final String ALGORITHM = "Ed25519";
    private static final int BITS = 256;

    /** What the library asks, with the name of the provider of Java that has these signatures. */
    private static final class Registrar extends AbstractSecurityProviderRegistrar {
        private final Provider provider;

        Registrar(Provider provider) {
            super(provider.getName());
            this.provider = provider;
        }

        @Override
        public boolean isSupported() {
            return true;
        }

        /** Only for keys; all else is that of Java's usual providers. */
        @Override
        public boolean isSecurityEntitySupported(Class<?> type, String algorithm) {
            return false;
        }

        @Override
        public Provider getSecurityProvider() {
            return provider;
        }

        @Override
        public Optional<EdDSASupport<?, ?>> getEdDSASupport() {
            return Optional.of(new Ed25519Support());
        }
    }

    /** Makes the library know it, unless the program has brought another one. */
    static synchronized void register() {
        if (SecurityUtils.isEDDSACurveSupported()) return;
        try {
            SecurityUtils.registerSecurityProvider(
                    new Registrar(KeyFactory.getInstance(ALGORITHM).getProvider()));
        } catch (NoSuchAlgorithmException e) {
            log.warn("hosts and users with keys of Ed25519 cannot be reached: this Java has none");
            return;
        }
        // Where a program has used the library before, it has looked what there is.
        Ed25519Support support = new Ed25519Support();
        KeyUtils.registerPublicKeyEntryDecoder(support.getEDDSAPublicKeyEntryDecoder());
        OpenSSHKeyPairResourceParser.registerPrivateKeyEntryDecoder(support.getOpenSSHEDDSAPrivateKeyEntryDecoder());
        PEMResourceParserUtils.registerPEMResourceParser(GenericEd25519PEMResourceKeyParser.INSTANCE);
    }

    @Override
    public PublicKeyEntryDecoder<EdECPublicKey, EdECPrivateKey> getEDDSAPublicKeyEntryDecoder() {
        return new GenericEd25519PublicKeyDecoder<>(EdECPublicKey.class, EdECPrivateKey.class, this);
    }

    @Override
    public PrivateKeyEntryDecoder<EdECPublicKey, EdECPrivateKey> getOpenSSHEDDSAPrivateKeyEntryDecoder() {
        return new GenericOpenSSHEd25519PrivateKeyEntryDecoder<>(EdECPublicKey.class, EdECPrivateKey.class, this);
    }

    @Override
    public Signature getEDDSASigner() {
        return new GenericSignatureEd25519(ALGORITHM);
    }

    @Override
    public int getEDDSAKeySize(Key key) {
        return key instanceof EdECKey ? BITS : -1;
    }

    @Override
    public Class<EdECPublicKey> getEDDSAPublicKeyType() {
        return EdECPublicKey.class;
    }

    @Override
    public Class<EdECPrivateKey> getEDDSAPrivateKeyType() {
        return EdECPrivateKey.class;
    }

    @Override
    public boolean compareEDDSAPPublicKeys(PublicKey one, PublicKey other) {
        return one instanceof EdECPublicKey && one.equals(other);
    }

    @Override
    public boolean compareEDDSAPrivateKeys(PrivateKey one, PrivateKey other) {
        return one instanceof EdECPrivateKey && one.equals(other);
    }

    /** Java computes it for a key that it makes: of a source of chance that gives the bytes of this one. */
    @Override
    public EdECPublicKey recoverEDDSAPublicKey(PrivateKey key) throws GeneralSecurityException {
        byte[] seed = key instanceof EdECPrivateKey one ? one.getBytes().orElse(null) : null;
        if (seed == null) throw new InvalidKeyException("it is no private key of Ed25519");
        KeyPairGenerator generator = KeyPairGenerator.getInstance(ALGORITHM);
        generator.initialize(NamedParameterSpec.ED25519, new Fixed(seed));
        KeyPair made = generator.generateKeyPair();
        if (!made.getPrivate().equals(key)) throw new InvalidKeyException("its public key cannot be computed");
        return (EdECPublicKey) made.getPublic();
    }

    /** Gives bytes that are known. */
    private static final class Fixed extends SecureRandom {
        private static final long serialVersionUID = 1;

        private final byte[] bytes;

        Fixed(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void nextBytes(byte[] to) {
            System.arraycopy(bytes, 0, to, 0, Math.min(bytes.length, to.length));
        }
    }

    @Override
    public EdECPublicKey generateEDDSAPublicKey(byte[] bytes) throws GeneralSecurityException {
        return (EdECPublicKey)
                SecurityUtils.getKeyFactory(ALGORITHM).generatePublic(EdDSAUtils.createPublicKeySpec(bytes));
    }

    @Override
    public EdECPrivateKey generateEDDSAPrivateKey(byte[] seed) throws GeneralSecurityException {
        return (EdECPrivateKey)
                SecurityUtils.getKeyFactory(ALGORITHM).generatePrivate(EdDSAUtils.createPrivateKeySpec(seed));
    }

    @Override
    public <B extends Buffer> B putRawEDDSAPublicKey(B buffer, PublicKey key) {
        try {
            buffer.putBytes(EdDSAUtils.getBytes(key));
            return buffer;
        } catch (InvalidKeyException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** For agents, which are not asked. */
    @Override
    public <B extends Buffer> B putEDDSAKeyPair(B buffer, PublicKey key, PrivateKey secret) {
        throw new UnsupportedOperationException("keys are not given away");
    }

    @Override
    public KeySpec createPublicKeySpec(EdECPublicKey key) {
        return new X509EncodedKeySpec(key.getEncoded());
    }

    @Override
    public KeySpec createPrivateKeySpec(EdECPrivateKey key) {
        return new PKCS8EncodedKeySpec(key.getEncoded());
    }

    @Override
    public byte[] getPublicKeyData(EdECPublicKey key) {
        try {
            return EdDSAUtils.getBytes(key);
        } catch (InvalidKeyException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public byte[] getPrivateKeyData(EdECPrivateKey key) throws IOException {
        return key.getBytes().orElseThrow(() -> new IOException("the key has no bytes"));
    }

    @Override
    public String getKeyFactoryAlgorithm() {
        return ALGORITHM;
    }
}
